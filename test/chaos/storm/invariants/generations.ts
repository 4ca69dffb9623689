/** What was asked of a source against the generations that came of it. */
import type { SourceStatus } from '../../../../contract/statuses.ts';
import type { FinalState, GenerationState } from '../final-state.ts';
import { mayBeLost, type Request } from '../history.ts';
import type { Seen } from '../observers.ts';
import { match } from './matching.ts';

/** What may be seen after a status in the same generation; an observer may miss what lies between. */
const later: Record<SourceStatus, readonly SourceStatus[]> = {
  CREATED: ['CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  PENDING: ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  PROCESSING: ['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED'],
  COMPLETED: ['COMPLETED'],
  FAILED: ['FAILED'],
  CANCELED: ['CANCELED'],
};
/** An API that was paused may send what it read before a failover so long after it. */
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
  `${status} (generation ${generation}, revision ${revision}, results of ${resultGeneration})`;

export function noBackwardSteps({ seen, sources, history }: FinalState): string[] {
  const outcomes = new Map(
    sources.flatMap(({ id, generations }) => generations.map((one) => [`${id} ${one.generation}`, one.outcome])),
  );
  const there = new Set(sources.map(({ id }) => id));
  return seen.flatMap(({ id, states }) =>
    states.flatMap((after, at) => {
      const before = states[at - 1];
      if (mayBeLost(history, (before?.at ?? after.at) - LATE_MS, after.at)) return [];
      if (before && !isAllowed(before, after)) return [`${id} went from ${words(before)} to ${words(after)}`];
      const isEnd = later[after.status].length === 1;
      const outcome = outcomes.get(`${id} ${after.generation}`);
      return isEnd && there.has(id) && outcome !== after.status
        ? [`${id} was seen as ${words(after)}, which ended ${outcome}`]
        : [];
    }),
  );
}

/** A generation that an answer named is there, made by what was asked for. */
export function requestsHaveTheirGeneration({ history, sources }: FinalState): string[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  return history.requests.flatMap(({ action, verdict, answer }) => {
    if (verdict !== 'accepted' || answer === null || !['reprocess', 'update', 'refresh'].includes(action)) return [];
    const source = byId.get(answer.id);
    const made = source?.generations.find(({ generation }) => generation === answer.generation);
    return source === undefined || made?.trigger === action
      ? []
      : [
          `${answer.id}: ${action} was answered with generation ${answer.generation}, whose trigger is ${made?.trigger}`,
        ];
  });
}

/** Milliseconds by which the database rounds a time. */
const ROUNDED_MS = 5;

function spanOf({ sentAt, answeredAt, verdict, status }: Request) {
  const isSure = verdict === 'accepted' && answeredAt !== null;
  const to = isSure ? answeredAt + ROUNDED_MS : Number.POSITIVE_INFINITY;
  return { from: sentAt - ROUNDED_MS, to, sentAt, status };
}

/**
 * Each accepted refresh, reprocess and update has made a generation of its own between request and answer, and no
 * generation was made that nobody asked for.
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
      const asked = own.filter((one) => one.action === action && one.verdict !== 'refused');
      const accepted = asked.filter(({ verdict }) => verdict === 'accepted').map(spanOf);
      const forgotten = match(made, accepted).spans.map(
        ({ sentAt }) => `${id} (${marker}): the ${action} of ${new Date(sentAt).toISOString()} made no generation`,
      );
      const unasked = match(made, asked.map(spanOf)).moments.map(
        ({ generation }) => `${id} (${marker}): nobody asked for the ${action} that made generation ${generation}`,
      );
      return isKnown ? [...forgotten, ...unasked] : [];
    });
    const created = generations.filter(({ trigger }) => trigger === 'create').map(({ generation }) => generation);
    return created.join() === '1'
      ? ofActions
      : [...ofActions, `${id} (${marker}) was created in generations ${created}`];
  });
}

/** A refresh that completed has fetched: the site was asked while its generation was open, and the copy is its own. */
export function refreshesFetch({ history, sources, served }: FinalState): string[] {
  const servedTo = Map.groupBy(served, ({ marker }) => marker);
  return sources.flatMap(({ id, marker, generations }) => {
    const type = history.sources.get(marker)?.type;
    return generations.flatMap((one) => {
      const { trigger, outcome, generation, createdAt, finishedAt, contentGeneration } = one;
      if (trigger !== 'refresh' || outcome !== 'COMPLETED') return [];
      const name = `${id} (${marker}), generation ${generation}, a refresh,`;
      if (contentGeneration !== generation) return [`${name} works on the content of ${contentGeneration}`];
      const asked = (servedTo.get(marker) ?? []).some(({ at }) => at >= createdAt && at <= (finishedAt ?? 0));
      return type === 'URI' && !asked ? [`${name} completed without asking for the page`] : [];
    });
  });
}

export function canceledStaysCanceled({ history, sources, seen }: FinalState): string[] {
  const byId = new Map(sources.map((source) => [source.id, source]));
  const seenOf = Map.groupBy(seen, ({ id }) => id);
  return history.requests.flatMap(({ action, verdict, answer }) => {
    if (action !== 'cancel' || verdict !== 'accepted' || answer === null) return [];
    const { id, generation, status } = answer;
    const source = byId.get(id);
    const wrongAnswer = status === 'CANCELED' ? [] : [`${id}: the cancel of ${generation} was answered with ${status}`];
    if (source === undefined) return wrongAnswer;
    const outcome = source.generations.find((one) => one.generation === generation)?.outcome;
    const completed = (seenOf.get(id) ?? []).some(({ states }) =>
      states.some((state) => {
        const isLost = mayBeLost(history, state.at - LATE_MS, state.at);
        return !isLost && state.generation === generation && state.status === 'COMPLETED';
      }),
    );
    const shown = source.resultGeneration === generation || completed;
    return [
      ...wrongAnswer,
      ...(outcome === 'CANCELED' ? [] : [`${id}: generation ${generation} was canceled and ended ${outcome}`]),
      ...(shown ? [`${id}: results of the canceled generation ${generation} were shown`] : []),
    ];
  });
}

/** The newest generation, up to this one, that new data made: it decides on what all later ones work. */
export function dataGeneration(generations: readonly GenerationState[], upTo: number): GenerationState | undefined {
  return generations
    .filter(({ trigger, generation }) => generation <= upTo && (trigger === 'create' || trigger === 'update'))
    .at(-1);
}
