/** Repair of artifacts that are PROCESSING while their run is lost. */
import { artifactWorkflowId } from '../../../contract/commands.ts';
import { repeatProcessCommand } from '../../../db/transitions/artifacts/process-artifact.ts';
import { claimStalledArtifacts } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { lostReason } from './classify-run.ts';
import { describeRun } from './describe-run.ts';
import { type Round, reconcileEach } from './reconcile-each.ts';

/** Sends the command of the round again. A late write of the lost run is harmless: it belongs to the same round. */
export async function reconcileArtifacts(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;
  const next = (limit: number) => claimStalledArtifacts(database.pool, config.RECONCILER_GRACE_SECONDS, limit);
  await reconcileEach(round, next, async (artifact) => {
    const described = await describeRun(temporal, artifactWorkflowId(artifact.artifactId));
    const run = lostReason(described, config);
    if (run === null || !(await repeatProcessCommand(database.pool, artifact, described.runId))) return;
    metrics.repairs.inc({ action: 'artifact', run });
    logger.warn({ event: 'artifact.repaired', ...artifact, run });
  });
}
