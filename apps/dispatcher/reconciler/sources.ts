/** Repair of sources that have not ended and are stalled. */
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { transaction } from '../../../db/sql.ts';
import { claimStalledSources, type StalledSource } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { noteStuck, remindRun, repairSource } from '../../../db/transitions/reconciliation/repair.ts';
import { classifySourceRun, isStuck } from './classify-run.ts';
import { describeRun } from './describe-run.ts';
import { type Round, reconcileEach } from './reconcile-each.ts';

/** Starts a recovery for a source whose run is lost or stuck; reminds a run that works on an older generation. */
export async function reconcileSources(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;

  async function reconcileSource(stalled: StalledSource): Promise<void> {
    const { sourceId, generation } = stalled;
    const described = await describeRun(temporal, sourceWorkflowId(sourceId));
    // Without a worker no run makes progress, so none counts as stuck.
    const stuck = isStuck(described) && (await round.workersPoll());
    if (stuck || stalled.stuckSeconds !== null) await noteStuck(database.pool, stalled, stuck);
    const repair = classifySourceRun(described, stuck ? stalled : { ...stalled, stuckSeconds: null }, config);
    if (repair.action === 'none') return;
    if (repair.action === 'remind') {
      const reminded =
        (await round.workersPoll()) &&
        (await remindRun(database.pool, stalled, 'reprocess', config.RECONCILER_REMIND_SECONDS));
      if (!reminded) return;
      metrics.repairs.inc({ action: 'reminded', run: 'behind' });
      logger.warn({ event: 'source.run_reminded', sourceId, generation });
      return;
    }
    const { cause } = repair;
    const lost = { sourceId, generation, cause, endRunId: described.runId, runGeneration: described.generation };
    const action = await transaction(database, (session) => repairSource(session, config.PUBLIC_URL, lost));
    if (action === null) return;
    metrics.repairs.inc({ action, run: cause });
    logger.warn({ event: 'source.repaired', ...lost, action });
  }

  await reconcileEach(
    round,
    (limit) => claimStalledSources(database.pool, config.RECONCILER_GRACE_SECONDS, limit),
    reconcileSource,
  );
}
