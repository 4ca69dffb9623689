/** Invariants about causes of recoveries and failures. */
import type { SourceType } from '../../../../contract/statuses.ts';
import type { FinalState, SourceState } from '../final-state.ts';
import { match } from './matching.ts';

/** Consecutive recoveries after which a source fails with run_lost. */
const MAX_REPAIRS = 3;

/**
 * The injected faults that explain a cause. `closed` is also explained by a termination of the source's own run, which
 * is checked separately.
 */
const faultsBehind: Readonly<Record<string, readonly string[]>> = {
  // After a failover the rows are older than Temporal: the run may have ended what the rows show as open.
  closed: ['fail over postgres'],
  missing: ['fail over postgres'],
  ahead: ['fail over postgres'],
  // A workflow task that the other version cannot replay fails until the present version gets it.
  failing: ['two versions'],
  // The failover lost the end of the generation, and the run is still open for a delivery.
  idle: ['fail over postgres'],
  // No injected fault makes a run fail for that long or lose a signal.
  stuck: [],
  behind: [],
};

function unexplained({ history, faults }: FinalState, { id, marker, generations }: SourceState): string[] {
  const recoveries = generations
    .filter(({ trigger }) => trigger === 'recovery')
    // A reconciler of the other version may record no cause; then the strictest rule applies.
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
    `${id} (${marker}), generation ${generation}: no fault explains a recovery with the cause ${cause} ` +
    `(${spans.length} terminations of the source's runs)`;
  return [
    ...open.filter((one) => !ofTermination.includes(one)).map(({ generation, cause }) => words(generation, cause)),
    ...match(moments, spans).moments.map(({ generation }) => words(generation, 'closed')),
  ];
}

/** Each recovery has a cause that an injected fault explains. */
export function recoveriesAreExplained(state: FinalState): string[] {
  return state.sources.flatMap((source) => unexplained(state, source));
}

/** Error codes that the content or external servers may cause, by source type. */
const failuresOf: Record<SourceType, readonly RegExp[]> = {
  CONTENT: [],
  URI: [/^fetch_/],
  FILE: [/^upload_(changed|missing)$/],
  // content_empty: every member was left out.
  COMPOSITION: [/^member_(failed|canceled|deleted)$/, /^content_empty$/],
};

/** Injected faults fail no source: neither a dependency that is down nor a run that is lost up to MAX_REPAIRS times. */
export function faultsFailNoSource({ history, sources }: FinalState): string[] {
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
