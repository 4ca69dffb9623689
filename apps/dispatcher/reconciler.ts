/** Asks what the database owes and nobody is doing, and sets it going again. Any number may run: one has the lease. */
import type { DispatcherDependencies } from './dispatcher.ts';
import { type LeasedLoop, startLeasedLoop } from './leased-loop.ts';
import { reconcileArtifacts } from './owed/artifacts.ts';
import { reconcilePostbacks } from './owed/postbacks.ts';
import { reconcilePurges } from './owed/purges.ts';
import { reconcileSources } from './owed/sources.ts';
import { reconcileSpaceDeletions } from './owed/space-deletions.ts';
import { reconcileTickets } from './owed/tickets.ts';

/** Starts reconciling every RECONCILER_SWEEP_SECONDS. */
export function startReconciler(deps: DispatcherDependencies): LeasedLoop {
  const periodSeconds = deps.config.RECONCILER_SWEEP_SECONDS;
  return startLeasedLoop(deps, { name: 'reconciler', periodSeconds }, async () => {
    await reconcileSources(deps);
    await reconcilePostbacks(deps);
    await reconcileArtifacts(deps);
    await reconcileTickets(deps);
    await reconcileSpaceDeletions(deps);
    await reconcilePurges(deps);
  });
}
