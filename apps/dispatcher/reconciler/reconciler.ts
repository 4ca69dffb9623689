import type { Round } from './reconcile-each.ts';

/** Asks what the database owes and nobody is doing, and sets it going again. Any number may run: one has the lease. */

import type { DispatcherDependencies } from '../dependencies.ts';
import { type LeasedLoop, startLeasedLoop } from '../leased-loop.ts';
import { reconcileArtifacts } from './artifacts.ts';
import { reconcilePostbacks } from './postbacks.ts';
import { reconcilePurges } from './purges.ts';
import { reconcileSources } from './sources.ts';
import { reconcileSpaceDeletions } from './space-deletions.ts';
import { reconcileTickets } from './tickets.ts';
import { reconcileUserDeletions } from './user-deletions.ts';
import { watchPollers } from './workers-poll.ts';

const questions = {
  sources: reconcileSources,
  postbacks: reconcilePostbacks,
  artifacts: reconcileArtifacts,
  tickets: reconcileTickets,
  space_deletions: reconcileSpaceDeletions,
  purges: reconcilePurges,
  user_deletions: reconcileUserDeletions,
};

/** With a hundred thousand sources in the queue, each question takes this share of the time. */
const BUSY_SHARE = 0.5;

/** Starts reconciling every RECONCILER_SWEEP_SECONDS. */
export function startReconciler(deps: DispatcherDependencies): LeasedLoop {
  const { config, logger, temporal } = deps;
  const periodSeconds = config.RECONCILER_SWEEP_SECONDS;
  const workersPoll = watchPollers(temporal, config);
  return startLeasedLoop(deps, { name: 'reconciler', periodSeconds }, async (signal) => {
    let polled: Promise<boolean> | undefined;
    const round: Round = {
      ...deps,
      endsAt: Date.now() + periodSeconds * 1_000 * BUSY_SHARE,
      workersPoll() {
        polled ??= workersPoll();
        return polled;
      },
    };
    if (signal.aborted) return;
    // Side by side: neither the length of one question nor what it trips over keeps the others from being asked.
    await Promise.all(
      Object.entries(questions).map(([question, ask]) =>
        ask(round).catch((error: unknown) =>
          logger.warn({ event: 'reconciler.question_failed', question, err: error }),
        ),
      ),
    );
  });
}
