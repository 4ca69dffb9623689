/** Finds what is pending and not in progress, and repairs it. Any number may run: one has the lease. */
import type { DispatcherDependencies } from '../dependencies.ts';
import { type LeasedLoop, startLeasedLoop } from '../leased-loop.ts';
import { reconcileArtifacts } from './artifacts.ts';
import { reconcilePostbacks } from './postbacks.ts';
import { reconcilePurges } from './purges.ts';
import type { Round } from './reconcile-each.ts';
import { reconcileSources } from './sources.ts';
import { reconcileSpaceDeletions } from './space-deletions.ts';
import { reconcileTickets } from './tickets.ts';
import { reconcileUserDeletions } from './user-deletions.ts';
import { watchPollers } from './workers-poll.ts';

const reconcilers = {
  sources: reconcileSources,
  postbacks: reconcilePostbacks,
  artifacts: reconcileArtifacts,
  tickets: reconcileTickets,
  space_deletions: reconcileSpaceDeletions,
  purges: reconcilePurges,
  user_deletions: reconcileUserDeletions,
};

/** Share of RECONCILER_SWEEP_SECONDS after which a reconciler claims no further batch; reached by 100,000 sources. */
const MAX_BUSY_SHARE = 0.5;

/** Starts reconciling every RECONCILER_SWEEP_SECONDS. */
export function startReconciler(deps: DispatcherDependencies): LeasedLoop {
  const { config, logger, temporal } = deps;
  const periodSeconds = config.RECONCILER_SWEEP_SECONDS;
  const workersPoll = watchPollers(temporal, config);
  return startLeasedLoop(deps, { name: 'reconciler', periodSeconds }, async (signal) => {
    let polled: Promise<boolean> | undefined;
    const round: Round = {
      ...deps,
      endsAt: Date.now() + periodSeconds * 1_000 * MAX_BUSY_SHARE,
      workersPoll() {
        polled ??= workersPoll();
        return polled;
      },
    };
    if (signal.aborted) return;
    // Concurrently: a reconciler that is slow or fails must not delay the others.
    await Promise.all(
      Object.entries(reconcilers).map(([question, reconcile]) =>
        reconcile(round).catch((error: unknown) =>
          logger.warn({ event: 'reconciler.question_failed', question, err: error }),
        ),
      ),
    );
  });
}
