/** Postbacks that are pending though their time has come. */
import { MAX_OPEN_DELIVERIES, sourceWorkflowId } from '../../../contract/commands.ts';
import { claimStalledPostbacks, type PendingDeliveries } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { remindRun, requestDelivery } from '../../../db/transitions/reconciliation/repair.ts';
import { lostReason } from './classify-run.ts';
import { describeRun, type Run } from './describe-run.ts';
import { type Round, reconcileEach } from './reconcile-each.ts';

/** What no run delivers gets a run; a run that does not know of all that is owed is told again. */
export async function reconcilePostbacks(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;

  /**
   * Queued, running and backed-off deliveries are counted by the run itself: none of them is taken for lost. A run keeps
   * no more than MAX_OPEN_DELIVERIES at once.
   */
  function lacksDeliveries(run: Run, { pending, lateSeconds }: PendingDeliveries): boolean {
    const expected = Math.min(pending, MAX_OPEN_DELIVERIES);
    // A workflow task that waits for a worker, or a write that waits for the database, makes the run look by itself.
    if (run.state !== 'open' || run.waits || run.synchronizes || run.taskFailures > 0) return false;
    return run.deliveries < expected && lateSeconds >= config.RECONCILER_REMIND_SECONDS;
  }

  /**
   * It was told, has processed that, and knows of no more deliveries than before: Temporal was put back to an older state,
   * and a worker knows the run better. The source has ended, so nothing else that is pending in it is needed.
   */
  function ignoresReminder({ ended, remindedSeconds }: PendingDeliveries): boolean {
    return ended && remindedSeconds !== null && remindedSeconds >= config.RECONCILER_REMIND_SECONDS;
  }

  async function look(owed: PendingDeliveries): Promise<void> {
    const { sourceId } = owed;
    const described = await describeRun(temporal, sourceWorkflowId(sourceId));
    const lacking = lacksDeliveries(described, owed);
    const run = lostReason(described, config) ?? (lacking && ignoresReminder(owed) ? 'behind' : null);
    if (run !== null) {
      // A source that has not ended is repaired as such, and its next generation delivers what is owed.
      if (!owed.ended || !(await requestDelivery(database.pool, owed, described.runId))) return;
      metrics.repairs.inc({ action: 'delivery', run });
      logger.warn({ event: 'delivery.repaired', sourceId, run });
    } else if (lacking && (await round.workersPoll())) {
      if (!(await remindRun(database.pool, owed, 'deliver', config.RECONCILER_REMIND_SECONDS))) return;
      metrics.repairs.inc({ action: 'reminded', run: 'behind' });
      logger.warn({ event: 'delivery.run_reminded', sourceId, generation: owed.generation });
    }
  }

  await reconcileEach(
    round,
    (limit) => claimStalledPostbacks(database.pool, config.RECONCILER_GRACE_SECONDS, limit),
    look,
  );
}
