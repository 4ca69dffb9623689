/** Repair of deleted spaces in which sources still run while the run that cancels them is lost. */
import { spaceDeletionWorkflowId } from '../../../contract/commands.ts';
import { findStalledSpaceDeletions } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { repeatSpaceDeletion } from '../../../db/transitions/retention/start-purge.ts';
import { lostReason } from './classify-run.ts';
import { describeRun } from './describe-run.ts';
import { once, type Round, reconcileEach } from './reconcile-each.ts';

/** Sends the command of the deletion again. */
export async function reconcileSpaceDeletions(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;
  const next = once((limit) => findStalledSpaceDeletions(database.pool, config.RECONCILER_GRACE_SECONDS, limit));
  await reconcileEach(round, next, async (deletion) => {
    const described = await describeRun(temporal, spaceDeletionWorkflowId(deletion));
    const run = lostReason(described, config);
    if (run === null || !(await repeatSpaceDeletion(database.pool, deletion, described.runId))) return;
    metrics.repairs.inc({ action: 'space_deletion', run });
    logger.warn({ event: 'space_deletion.repaired', ...deletion, run });
  });
}
