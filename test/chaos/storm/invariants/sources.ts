import type { Evidence, SourceEvidence } from '../evidence.ts';

const ends = ['COMPLETED', 'FAILED', 'CANCELED'];

export function everySourceEnded({ sources }: Evidence): string[] {
  return sources.flatMap(({ id, marker, status, generation, generations, shown }) => {
    const newest = generations.at(-1);
    if (!ends.includes(status)) return [`${id} (${marker}) is ${status} in generation ${generation}`];
    if (newest?.outcome !== status || newest.generation !== generation) {
      return [`${id} is ${status} in generation ${generation}, its newest ${newest?.generation} is ${newest?.outcome}`];
    }
    const open = generations.filter(({ outcome }) => outcome === null);
    if (open.length > 0) return [`${id} has open generations beside its newest`];
    if (shown?.status !== status || shown.generation !== generation) {
      return [`${id} is shown as ${shown?.status} ${shown?.generation}, its row is ${status} ${generation}`];
    }
    return [];
  });
}

export function acceptedCreatesAreThere({ ledger, sources }: Evidence): string[] {
  const there = new Set(sources.map(({ id }) => id));
  return [...ledger.sources.values()].flatMap(({ marker, ids }) =>
    [...ids].filter((id) => !there.has(id)).map((id) => `${id} (${marker}) was accepted and is not there`),
  );
}

export function oneSourceForEachCreate({ ledger, sources }: Evidence): string[] {
  const byMarker = Map.groupBy(sources, ({ marker }) => marker);
  return [...byMarker].flatMap(([marker, made]) => {
    const list = made.map(({ id }) => id).join(', ');
    if (!ledger.sources.has(marker)) return [`${list} (${marker}) was asked for by nobody`];
    return made.length > 1 ? [`${marker} was made ${made.length} times: ${list}`] : [];
  });
}

/** Where the last word is known: no answer of a deletion or restore was lost, and none ran beside another. */
export function deletionsHold({ ledger, sources }: Evidence): string[] {
  const words = ledger.requests.filter(({ action, verdict }) => {
    return (action === 'delete' || action === 'restore') && verdict !== 'refused';
  });
  const bySource = Map.groupBy(words, ({ sourceId }) => sourceId);
  return sources.flatMap(({ id, shown }: SourceEvidence) => {
    const own = bySource.get(id) ?? [];
    const last = own.at(-1);
    if (own.some(({ verdict }) => verdict === 'unknown')) return [];
    if (last !== undefined && own.slice(0, -1).some(({ answeredAt }) => (answeredAt ?? 0) > last.sentAt)) return [];
    const expected = last?.action === 'delete';
    const isDeleted = shown !== null && shown.deletedAt !== null;
    return expected === isDeleted ? [] : [`${id} is ${isDeleted ? '' : 'not '}deleted, against the last word`];
  });
}
