/** The data of updates: the last accepted one stands in the row. */
import { isDeepStrictEqual } from 'node:util';
import type { FinalState, SourceState } from '../final-state.ts';
import type { History, SourceData } from '../history.ts';
import { dataGeneration } from './generations.ts';

/**
 * The data that a generation worked on: that of the update whose answer named the generation, else one of those without
 * an answer.
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
  const named = updates.filter((one) => one.verdict === 'accepted' && one.answer?.generation === made.generation);
  const unknown = updates.filter(({ verdict }) => verdict === 'unknown');
  return (named.length > 0 ? named : unknown).flatMap(({ data }) => data ?? []);
}

const short = (value: unknown) => JSON.stringify(value)?.slice(0, 80);

export function rowsHoldTheNewestData({ history, sources }: FinalState): string[] {
  return sources.flatMap((source) => {
    const { id, marker, generation, data, shown } = source;
    if (!history.sources.has(marker)) return [];
    const expected = dataOf(history, source, generation).map(({ sent }) => sent);
    const isSent = (value: unknown) => expected.some((one) => isDeepStrictEqual(one, value));
    const last = dataGeneration(source.generations, generation);
    const asked = `${last?.trigger} of generation ${last?.generation} sent ${expected.map(short).join(' or ')}`;
    return [
      ...(isSent(data) ? [] : [`${id} (${marker}): its row holds ${short(data)}, the ${asked}`]),
      ...(shown === null || isSent(shown.initial_data.data)
        ? []
        : [`${id} (${marker}): the API shows ${short(shown.initial_data.data)}, the ${asked}`]),
    ];
  });
}
