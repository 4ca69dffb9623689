/** Start of purges that are due, and repair of purges whose run is lost. */
import { purgeWorkflowId } from '../../../contract/commands.ts';
import { withBucketOwnership } from '../../../db/bucket-ownership.ts';
import { claimStalledPurges } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { repeatPurge, startPurges } from '../../../db/transitions/retention/start-purge.ts';
import { unlessPaused } from '../sweeper/gc-pause.ts';
import { lostReason } from './classify-run.ts';
import { describeRun } from './describe-run.ts';
import { once, type Round, reconcileEach } from './reconcile-each.ts';

const BATCH = 100;

/** Starts due purges and repairs lost ones; does nothing while garbage collection is paused. */
export function reconcilePurges(round: Round): Promise<void> {
  return unlessPaused(round, () => startAndRepairPurges(round));
}

async function startAndRepairPurges(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;
  const started = await withBucketOwnership(round, (session) => startPurges(session, config.RETENTION_SECONDS, BATCH));
  for (const { of, id } of started) logger.info({ event: 'purge.started', of, id });
  const next = once((limit) => claimStalledPurges(database.pool, config.RECONCILER_GRACE_SECONDS, limit));
  await reconcileEach(round, next, async (subject) => {
    const described = await describeRun(temporal, purgeWorkflowId(subject));
    const run = lostReason(described, config);
    if (run === null || !(await repeatPurge(database.pool, subject, described.runId))) return;
    metrics.repairs.inc({ action: 'purge', run });
    logger.warn({ event: 'purge.repaired', ...subject, run });
  });
}
