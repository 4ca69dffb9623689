/** Postbacks that are pending while the source has ended and its run is closed or missing. */
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { findStalledPostbacks } from '../../../db/queries/find-owed.ts';
import { markChecked, requestDelivery } from '../../../db/transitions/repair.ts';
import { describeRun } from '../describe-run.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { eachOwed } from '../each-owed.ts';

const BATCH = 100;

/** Sends the command `deliver` for what no open run delivers. */
export async function reconcilePostbacks(deps: DispatcherDependencies): Promise<void> {
  const { config, database, temporal, logger, metrics } = deps;
  const stalled = await findStalledPostbacks(database.pool, config.RECONCILER_GRACE_SECONDS, BATCH);
  await eachOwed(deps, stalled, async ({ sourceId }) => {
    const run = await describeRun(temporal, sourceWorkflowId(sourceId));
    await markChecked(database.pool, sourceId);
    if (run.state === 'open' || !(await requestDelivery(database.pool, sourceId))) return;
    metrics.repairs.inc({ action: 'delivery' });
    logger.warn({ event: 'delivery.repaired', sourceId, run: run.state });
  });
}
