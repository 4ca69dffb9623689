import type { SourceStatus } from '../../../../contract/statuses.ts';
import type { Evidence } from '../evidence.ts';
import type { Seen } from '../observers.ts';

/** What may be seen after a status in the same generation; an observer may miss what lies between. */
const later: Record<SourceStatus, readonly SourceStatus[]> = {
  CREATED: ['CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  PENDING: ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  PROCESSING: ['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  COMPLETED: ['COMPLETED'],
  FAILED: ['FAILED'],
  CANCELED: ['CANCELED'],
};

function isAllowed(before: Seen, after: Seen): boolean {
  if (after.revision < before.revision || after.generation < before.generation) return false;
  if ((after.resultGeneration ?? 0) < (before.resultGeneration ?? 0)) return false;
  if (after.revision === before.revision) {
    return after.status === before.status && after.generation === before.generation;
  }
  // Only a source's first generation is CREATED.
  if (after.generation > before.generation) return after.status !== 'CREATED';
  return later[before.status].includes(after.status);
}

const words = ({ status, generation, revision, resultGeneration }: Seen) =>
  `${status} (generation ${generation}, revision ${revision}, results of ${resultGeneration})`;

export function noBackwardSteps({ seen, sources }: Evidence): string[] {
  const outcomes = new Map(
    sources.flatMap(({ id, generations }) => generations.map((one) => [`${id} ${one.generation}`, one.outcome])),
  );
  return seen.flatMap(({ id, states }) =>
    states.flatMap((after, at) => {
      const before = states[at - 1];
      if (before && !isAllowed(before, after)) return [`${id} went from ${words(before)} to ${words(after)}`];
      const isEnd = later[after.status].length === 1;
      const outcome = outcomes.get(`${id} ${after.generation}`);
      return isEnd && outcome !== after.status ? [`${id} was seen as ${words(after)}, which ended ${outcome}`] : [];
    }),
  );
}

/** A generation that an answer named is there, made by what was asked for. */
export function requestsHaveTheirGeneration({ ledger, sources }: Evidence): string[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  return ledger.requests.flatMap(({ action, verdict, answer }) => {
    if (verdict !== 'accepted' || answer === null || !['reprocess', 'update'].includes(action)) return [];
    const made = byId.get(answer.id)?.generations.find(({ generation }) => generation === answer.generation);
    return made?.trigger === action
      ? []
      : [
          `${answer.id}: ${action} was answered with generation ${answer.generation}, whose trigger is ${made?.trigger}`,
        ];
  });
}

export function canceledStaysCanceled({ ledger, sources, seen }: Evidence): string[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  const seenOf = Map.groupBy(seen, ({ id }) => id);
  return ledger.requests.flatMap(({ action, verdict, answer }) => {
    if (action !== 'cancel' || verdict !== 'accepted' || answer === null) return [];
    const { id, generation, status } = answer;
    const outcome = byId.get(id)?.generations.find((one) => one.generation === generation)?.outcome;
    const shown = byId.get(id)?.resultGeneration === generation;
    const completed = (seenOf.get(id) ?? []).some(({ states }) =>
      states.some((state) => state.generation === generation && state.status === 'COMPLETED'),
    );
    return [
      ...(status === 'CANCELED' ? [] : [`${id}: the cancel of generation ${generation} was answered with ${status}`]),
      ...(outcome === 'CANCELED' ? [] : [`${id}: generation ${generation} was canceled and ended ${outcome}`]),
      ...(shown || completed ? [`${id}: results of the canceled generation ${generation} were shown`] : []),
    ];
  });
}
