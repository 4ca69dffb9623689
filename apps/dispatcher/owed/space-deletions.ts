/** Deleted spaces in which something still runs, without an open run that cancels it. */
import { spaceDeletionWorkflowId } from '../../../contract/commands.ts';
import { findStalledSpaceDeletions } from '../../../db/queries/find-owed-deletions.ts';
import { repeatSpaceDeletion } from '../../../db/transitions/start-purge.ts';
import { describeRun } from '../describe-run.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { eachOwed } from '../each-owed.ts';

const BATCH = 100;

/** Sends the command of the deletion again where its run is closed or missing. */
export async function reconcileSpaceDeletions(deps: DispatcherDependencies): Promise<void> {
  const { config, database, temporal, logger, metrics } = deps;
  const stalled = await findStalledSpaceDeletions(database.pool, config.RECONCILER_GRACE_SECONDS, BATCH);
  await eachOwed(deps, stalled, async (deletion) => {
    const run = await describeRun(temporal, spaceDeletionWorkflowId(deletion));
    if (run.state === 'open') return;
    if (!(await repeatSpaceDeletion(database.pool, deletion.spaceId, deletion.deletionId))) return;
    metrics.repairs.inc({ action: 'space_deletion' });
    logger.warn({ event: 'space_deletion.repaired', ...deletion, run: run.state });
  });
}
