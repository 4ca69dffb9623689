/** Sources that have not ended and stand still. */
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { transaction } from '../../../db/sql.ts';
import { claimStalledSources, type StalledSource } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { noteStuck, remindRun, repairSource } from '../../../db/transitions/reconciliation/repair.ts';
import { classifySourceRun, isStuck } from './classify-run.ts';
import { describeRun } from './describe-run.ts';
import { type Round, reconcileEach } from './reconcile-each.ts';

/** A source whose run is lost or stuck gets a new generation; a run that did not hear of its generation is told again. */
export async function reconcileSources(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;

  async function look(owed: StalledSource): Promise<void> {
    const { sourceId, generation } = owed;
    const described = await describeRun(temporal, sourceWorkflowId(sourceId));
    // Without a worker nothing gets on, and nobody is to blame.
    const stuck = isStuck(described) && (await round.workersPoll());
    if (stuck || owed.stuckSeconds !== null) await noteStuck(database.pool, owed, stuck);
    const verdict = classifySourceRun(described, stuck ? owed : { ...owed, stuckSeconds: null }, config);
    if (verdict.action === 'none') return;
    if (verdict.action === 'remind') {
      const reminded =
        (await round.workersPoll()) &&
        (await remindRun(database.pool, owed, 'reprocess', config.RECONCILER_REMIND_SECONDS));
      if (!reminded) return;
      metrics.repairs.inc({ action: 'reminded', run: 'behind' });
      logger.warn({ event: 'source.run_reminded', sourceId, generation });
      return;
    }
    const { cause } = verdict;
    const lost = { sourceId, generation, cause, endRunId: described.runId, runGeneration: described.generation };
    const action = await transaction(database, (session) => repairSource(session, config.PUBLIC_URL, lost));
    if (action === null) return;
    metrics.repairs.inc({ action, run: cause });
    logger.warn({ event: 'source.repaired', ...lost, action });
  }

  await reconcileEach(
    round,
    (limit) => claimStalledSources(database.pool, config.RECONCILER_GRACE_SECONDS, limit),
    look,
  );
}
