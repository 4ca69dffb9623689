/** Why generations were repaired, and why they failed. */
import type { SourceType } from '../../../../contract/statuses.ts';
import type { FinalState, SourceState } from '../final-state.ts';
import { match } from './matching.ts';

/** Repairs in a row after which a source is given up. */
const MAX_REPAIRS = 3;

/**
 * The faults of the storm that explain a cause. `closed`, which needs a termination of this source's own run, is not
 * among them.
 */
const faultsBehind: Readonly<Record<string, readonly string[]>> = {
  // The rows know an older state than Temporal: runs may have ended what the rows do not remember.
  closed: ['fail over postgres'],
  missing: ['fail over postgres'],
  ahead: ['fail over postgres'],
  // A workflow task that the other version cannot replay fails until the present one has it.
  failing: ['two versions'],
  // The row has lost the end that its run wrote, which is still open for a delivery.
  idle: ['fail over postgres'],
  // No fault of the storm lets a run fail for longer or lose a signal.
  stuck: [],
  behind: [],
};

function unexplained({ history, faults }: FinalState, { id, marker, generations }: SourceState): string[] {
  const recoveries = generations
    .filter(({ trigger }) => trigger === 'recovery')
    // A reconciler of the other version may note none; then there is the strictest rule.
    .map(({ generation, createdAt, cause }) => ({ generation, createdAt, cause: cause ?? 'closed' }));
  const happened = ({ cause }: { cause: string }) =>
    (faultsBehind[cause] ?? []).some((fault) => (faults.get(fault) ?? 0) > 0);
  const open = recoveries.filter((one) => !happened(one));
  const ofTermination = open.filter(({ cause }) => cause === 'closed');
  const spans = history.terminations
    .filter(({ sourceId }) => sourceId === id)
    .map(({ at }) => ({ from: at, to: Number.POSITIVE_INFINITY }));
  const moments = ofTermination.map(({ generation, createdAt }) => ({ generation, at: createdAt }));
  const words = (generation: number, cause: string) =>
    `${id} (${marker}), generation ${generation}: a recovery for the cause ${cause}, which no fault explains ` +
    `(${spans.length} terminations of its runs)`;
  return [
    ...open.filter((one) => !ofTermination.includes(one)).map(({ generation, cause }) => words(generation, cause)),
    ...match(moments, spans).moments.map(({ generation }) => words(generation, 'closed')),
  ];
}

/** Each repair has a cause, and a fault of the storm that explains it. */
export function recoveriesAreExplained(state: FinalState): string[] {
  return state.sources.flatMap((source) => unexplained(state, source));
}

/** Failures that the content or its surroundings may have. */
const failuresOf: Record<SourceType, readonly RegExp[]> = {
  CONTENT: [],
  URI: [/^fetch_/],
  FILE: [/^upload_(changed|missing)$/],
  // Empty where every member was left out.
  COMPOSITION: [/^member_(failed|canceled|deleted)$/, /^content_empty$/],
};

/** Trouble of the service's own parts ends no source: not a server that is away, nor a run that was lost once. */
export function ownTroubleEndsNoSource({ history, sources }: FinalState): string[] {
  return sources.flatMap(({ id, marker, generations }) => {
    const type = history.sources.get(marker)?.type ?? 'CONTENT';
    const terminations = history.terminations.filter(({ sourceId }) => sourceId === id).length;
    return generations.flatMap(({ generation, errorCode }) => {
      if (errorCode === null || failuresOf[type].some((pattern) => pattern.test(errorCode))) return [];
      if (errorCode === 'run_lost' && terminations > MAX_REPAIRS) return [];
      return [`${id} (${marker}, ${type}), generation ${generation} ended FAILED ${errorCode}`];
    });
  });
}
