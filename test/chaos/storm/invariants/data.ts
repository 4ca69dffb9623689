/** Invariants of a source's data: the row has the data of the last accepted update. */
import { isDeepStrictEqual } from 'node:util';
import type { FinalState, SourceState } from '../final-state.ts';
import type { History, SourceData } from '../history.ts';
import { dataGeneration } from './generations.ts';

/**
 * Returns the possible data of a generation: from the update whose response named the generation, otherwise from all
 * updates with an unknown result.
 */
export function dataOf(
  history: History,
  { marker, generations }: Pick<SourceState, 'marker' | 'generations'>,
  upTo: number,
): SourceData[] {
  const made = dataGeneration(generations, upTo);
  const known = history.sources.get(marker);
  if (made === undefined || known === undefined) return [];
  if (made.trigger === 'create') return [known.data];
  const updates = history.requests.filter((one) => one.action === 'update' && one.marker === marker);
  const named = updates.filter((one) => one.acceptance === 'accepted' && one.response?.generation === made.generation);
  const unknown = updates.filter(({ acceptance }) => acceptance === 'unknown');
  return (named.length > 0 ? named : unknown).flatMap(({ data }) => data ?? []);
}

const short = (value: unknown) => JSON.stringify(value)?.slice(0, 80);

export function rowsHaveTheNewestData({ history, sources }: FinalState): string[] {
  return sources.flatMap((source) => {
    const { id, marker, generation, data, shown } = source;
    if (!history.sources.has(marker)) return [];
    const expected = dataOf(history, source, generation).map(({ sent }) => sent);
    const isSent = (value: unknown) => expected.some((one) => isDeepStrictEqual(one, value));
    const last = dataGeneration(source.generations, generation);
    const origin = `${last?.trigger} of generation ${last?.generation} sent ${expected.map(short).join(' or ')}`;
    return [
      ...(isSent(data) ? [] : [`${id} (${marker}): its row has ${short(data)}, but the ${origin}`]),
      ...(shown === null || isSent(shown.initial_data.data)
        ? []
        : [`${id} (${marker}): the API shows ${short(shown.initial_data.data)}, but the ${origin}`]),
    ];
  });
}
