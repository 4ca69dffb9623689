/** Repair of postbacks that are overdue. */
import { MAX_OPEN_DELIVERIES, sourceWorkflowId } from '../../../contract/commands.ts';
import { claimStalledPostbacks, type PendingDeliveries } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { remindRun, requestDelivery } from '../../../db/transitions/reconciliation/repair.ts';
import { lostReason } from './classify-run.ts';
import { describeRun, type Run } from './describe-run.ts';
import { type Round, reconcileEach } from './reconcile-each.ts';

/** Starts a run for postbacks that no run delivers; reminds a run that does not know of all pending postbacks. */
export async function reconcilePostbacks(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;

  /**
   * Whether the run has fewer deliveries than the source has pending postbacks. `run.deliveries` includes queued
   * ones and those in back-off. A run keeps at most MAX_OPEN_DELIVERIES open.
   */
  function lacksDeliveries(run: Run, { pending, lateSeconds }: PendingDeliveries): boolean {
    const expected = Math.min(pending, MAX_OPEN_DELIVERIES);
    // After a waiting workflow task or a pending write the run reads its pending postbacks without a reminder.
    if (run.state !== 'open' || run.isWaiting || run.isSynchronizing || run.taskFailures > 0) return false;
    return run.deliveries < expected && lateSeconds >= config.RECONCILER_REMIND_SECONDS;
  }

  /**
   * Whether the run has processed a reminder without more deliveries: Temporal was restored to an older state than a
   * worker has cached. The source has ended, so nothing else that is pending in the run is needed.
   */
  function ignoresReminder({ ended, remindedSeconds }: PendingDeliveries): boolean {
    return ended && remindedSeconds !== null && remindedSeconds >= config.RECONCILER_REMIND_SECONDS;
  }

  async function reconcileDeliveries(stalled: PendingDeliveries): Promise<void> {
    const { sourceId } = stalled;
    const described = await describeRun(temporal, sourceWorkflowId(sourceId));
    const lacking = lacksDeliveries(described, stalled);
    const run = lostReason(described, config) ?? (lacking && ignoresReminder(stalled) ? 'behind' : null);
    if (run !== null) {
      // A source that has not ended is repaired by reconcileSources; its next generation delivers the postbacks.
      if (!stalled.ended || !(await requestDelivery(database.pool, stalled, described.runId))) return;
      metrics.repairs.inc({ action: 'delivery', run });
      logger.warn({ event: 'delivery.repaired', sourceId, run });
    } else if (lacking && (await round.workersPoll())) {
      if (!(await remindRun(database.pool, stalled, 'deliver', config.RECONCILER_REMIND_SECONDS))) return;
      metrics.repairs.inc({ action: 'reminded', run: 'behind' });
      logger.warn({ event: 'delivery.run_reminded', sourceId, generation: stalled.generation });
    }
  }

  await reconcileEach(
    round,
    (limit) => claimStalledPostbacks(database.pool, config.RECONCILER_GRACE_SECONDS, limit),
    reconcileDeliveries,
  );
}
