/** Invariants that compare the requests about a source with its generations. */
import type { SourceStatus } from '../../../../contract/statuses.ts';
import type { FinalState, GenerationState } from '../final-state.ts';
import { mayBeLost, type Request } from '../history.ts';
import type { Seen } from '../observers.ts';
import { match } from './matching.ts';

/** Statuses that may be observed after a status in the same generation; observers may miss statuses in between. */
const later: Record<SourceStatus, readonly SourceStatus[]> = {
  CREATED: ['CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  PENDING: ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  PROCESSING: ['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  COMPLETED: ['COMPLETED'],
  FAILED: ['FAILED'],
  CANCELED: ['CANCELED'],
};
/** A paused API may still send, for this time after a failover, what it read before the failover. */
const LATE_MS = 20_000;

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
  `${status} (generation ${generation}, revision ${revision}, result generation ${resultGeneration})`;

export function allowedTransitionsOnly({ seen, sources, history }: FinalState): string[] {
  const outcomes = new Map(
    sources.flatMap(({ id, generations }) => generations.map((one) => [`${id} ${one.generation}`, one.outcome])),
  );
  const existing = new Set(sources.map(({ id }) => id));
  return seen.flatMap(({ id, states }) =>
    states.flatMap((after, at) => {
      const before = states[at - 1];
      if (mayBeLost(history, (before?.at ?? after.at) - LATE_MS, after.at)) return [];
      if (before && !isAllowed(before, after)) return [`${id} went from ${words(before)} to ${words(after)}`];
      const isEnd = later[after.status].length === 1;
      const outcome = outcomes.get(`${id} ${after.generation}`);
      return isEnd && existing.has(id) && outcome !== after.status
        ? [`${id} was observed as ${words(after)}, but that generation ended ${outcome}`]
        : [];
    }),
  );
}

/** A generation that a response named exists and has the trigger of the request. */
export function requestsHaveTheirGeneration({ history, sources }: FinalState): string[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  return history.requests.flatMap(({ action, acceptance, response }) => {
    if (acceptance !== 'accepted' || response === null || !['reprocess', 'update', 'refresh'].includes(action))
      return [];
    const source = byId.get(response.id);
    const made = source?.generations.find(({ generation }) => generation === response.generation);
    return source === undefined || made?.trigger === action
      ? []
      : [
          `${response.id}: the response to ${action} names generation ${response.generation} with the trigger ${made?.trigger}`,
        ];
  });
}

/** Rounding error of database times. */
const ROUNDED_MS = 5;

function spanOf({ sentAt, respondedAt, acceptance, status }: Request) {
  const isSure = acceptance === 'accepted' && respondedAt !== null;
  const to = isSure ? respondedAt + ROUNDED_MS : Number.POSITIVE_INFINITY;
  return { from: sentAt - ROUNDED_MS, to, sentAt, status };
}

/**
 * Each accepted refresh, reprocess and update made one generation between request and response, and every generation
 * belongs to a request.
 */
export function oneGenerationForEachRequest({ history, sources }: FinalState): string[] {
  const bySource = Map.groupBy(history.requests, ({ sourceId }) => sourceId);
  return sources.flatMap(({ id, marker, generations }) => {
    const own = bySource.get(id) ?? [];
    const isKnown = history.sources.has(marker);
    const ofActions = (['refresh', 'reprocess', 'update'] as const).flatMap((action) => {
      const made = generations
        .filter(({ trigger }) => trigger === action)
        .map(({ generation, createdAt }) => ({ generation, at: createdAt }));
      const requested = own.filter((one) => one.action === action && one.acceptance !== 'rejected');
      const accepted = requested.filter(({ acceptance }) => acceptance === 'accepted').map(spanOf);
      const forgotten = match(made, accepted).spans.map(
        ({ sentAt }) => `${id} (${marker}): the ${action} of ${new Date(sentAt).toISOString()} made no generation`,
      );
      const unasked = match(made, requested.map(spanOf)).moments.map(
        ({ generation }) => `${id} (${marker}): generation ${generation} has the trigger ${action} without a request`,
      );
      return isKnown ? [...forgotten, ...unasked] : [];
    });
    const created = generations.filter(({ trigger }) => trigger === 'create').map(({ generation }) => generation);
    return created.join() === '1'
      ? ofActions
      : [...ofActions, `${id} (${marker}) has the trigger create in generations ${created}, not in 1`];
  });
}

/** A completed refresh stored its own content; for a URI, the page was requested while the generation was open. */
export function refreshesFetch({ history, sources, served }: FinalState): string[] {
  const servedTo = Map.groupBy(served, ({ marker }) => marker);
  return sources.flatMap(({ id, marker, generations }) => {
    const type = history.sources.get(marker)?.type;
    return generations.flatMap((one) => {
      const { trigger, outcome, generation, createdAt, finishedAt, contentGeneration } = one;
      if (trigger !== 'refresh' || outcome !== 'COMPLETED') return [];
      const name = `${id} (${marker}), generation ${generation}, a refresh,`;
      if (contentGeneration !== generation) return [`${name} used the content of generation ${contentGeneration}`];
      const requested = (servedTo.get(marker) ?? []).some(({ at }) => at >= createdAt && at <= (finishedAt ?? 0));
      return type === 'URI' && !requested ? [`${name} completed without requesting the page`] : [];
    });
  });
}

export function canceledStaysCanceled({ history, sources, seen }: FinalState): string[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  const seenOf = Map.groupBy(seen, ({ id }) => id);
  return history.requests.flatMap(({ action, acceptance, response }) => {
    if (action !== 'cancel' || acceptance !== 'accepted' || response === null) return [];
    const { id, generation, status } = response;
    const source = byId.get(id);
    const wrongResponse = status === 'CANCELED' ? [] : [`${id}: the cancel of ${generation} returned ${status}`];
    if (source === undefined) return wrongResponse;
    const outcome = source.generations.find((one) => one.generation === generation)?.outcome;
    const completed = (seenOf.get(id) ?? []).some(({ states }) =>
      states.some((state) => {
        const isLost = mayBeLost(history, state.at - LATE_MS, state.at);
        return !isLost && state.generation === generation && state.status === 'COMPLETED';
      }),
    );
    const shown = source.resultGeneration === generation || completed;
    return [
      ...wrongResponse,
      ...(outcome === 'CANCELED' ? [] : [`${id}: generation ${generation} was canceled and ended ${outcome}`]),
      ...(shown ? [`${id}: results of the canceled generation ${generation} were shown`] : []),
    ];
  });
}

/** Returns the newest generation up to `upTo` that brought new data (create or update); later ones use its data. */
export function dataGeneration(generations: readonly GenerationState[], upTo: number): GenerationState | undefined {
  return generations
    .filter(({ trigger, generation }) => generation <= upTo && (trigger === 'create' || trigger === 'update'))
    .at(-1);
}
