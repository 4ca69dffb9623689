/** Artifacts PROCESSING whose run is lost. */
import { artifactWorkflowId } from '../../../contract/commands.ts';
import { claimStalledArtifacts } from '../../../db/transitions/reconciliation/claim-stalled.ts';
import { repeatProcessCommand } from '../../../db/transitions/artifacts/process-artifact.ts';
import { describeRun } from './describe-run.ts';
import { eachOwed } from './reconcile-each.ts';
import { lossOf } from './classify-run.ts';
import type { Round } from './round.ts';

/** Sends the command of the round again; a run that writes late all the same does so within the same round. */
export async function reconcileArtifacts(round: Round): Promise<void> {
  const { config, database, temporal, logger, metrics } = round;
  const next = (limit: number) => claimStalledArtifacts(database.pool, config.RECONCILER_GRACE_SECONDS, limit);
  await eachOwed(round, next, async (owed) => {
    const described = await describeRun(temporal, artifactWorkflowId(owed.artifactId));
    const run = lossOf(described, config);
    if (run === null || !(await repeatProcessCommand(database.pool, owed, described.runId))) return;
    metrics.repairs.inc({ action: 'artifact', run });
    logger.warn({ event: 'artifact.repaired', ...owed, run });
  });
}
