/** Postbacks that are pending though their time has come. */
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { claimStalledPostbacks, type OwedDeliveries } from '../../../db/transitions/claim-owed.ts';
import { remindRun, requestDelivery } from '../../../db/transitions/repair.ts';
import { describeRun, type Run } from '../describe-run.ts';
import { eachOwed } from '../each-owed.ts';
import { lossOf } from '../judge-run.ts';
import type { Round } from '../round.ts';

/** What no run delivers gets a run; a run that does not know of all that is owed is told again. */
export async function reconcilePostbacks(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;

  /** Queued, running and backed-off deliveries are counted by the run itself: none of them is taken for lost. */
  function lacksDeliveries(run: Run, { pending, dueSince }: OwedDeliveries): boolean {
    const lateMs = Date.now() - dueSince.getTime();
    return run.state === 'open' && run.deliveries < pending && lateMs >= config.RECONCILER_REMIND_SECONDS * 1_000;
  }

  async function look(owed: OwedDeliveries): Promise<void> {
    const { sourceId } = owed;
    const described = await describeRun(temporal, sourceWorkflowId(sourceId));
    const lacking = lacksDeliveries(described, owed);
    const run = lossOf(described, config) ?? (lacking && owed.reminded ? 'idle' : null);
    if (run !== null) {
      // A source that has not ended is repaired as such, and its next generation delivers what is owed.
      if (!owed.ended || !(await requestDelivery(database.pool, sourceId, described.runId))) return;
      metrics.repairs.inc({ action: 'delivery', run });
      logger.warn({ event: 'delivery.repaired', sourceId, run });
    } else if (lacking && (await round.workersPoll())) {
      if (!(await remindRun(database.pool, owed, 'deliver', config.RECONCILER_REMIND_SECONDS))) return;
      metrics.repairs.inc({ action: 'reminded', run: 'behind' });
      logger.warn({ event: 'delivery.run_reminded', sourceId, generation: owed.generation });
    }
  }

  await eachOwed(round, (limit) => claimStalledPostbacks(database.pool, config.RECONCILER_GRACE_SECONDS, limit), look);
}
