/** Artifacts PROCESSING whose run is closed or missing. */
import { artifactWorkflowId } from '../../../contract/commands.ts';
import { findStalledArtifacts } from '../../../db/queries/find-owed.ts';
import { markArtifactChecked, repeatProcessCommand } from '../../../db/transitions/process-artifact.ts';
import { describeRun } from '../describe-run.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { eachOwed } from '../each-owed.ts';

const BATCH = 100;

/** Sends the command of the round again; a run that writes late all the same does so within the same round. */
export async function reconcileArtifacts(deps: DispatcherDependencies): Promise<void> {
  const { config, database, temporal, logger, metrics } = deps;
  const stalled = await findStalledArtifacts(database.pool, config.RECONCILER_GRACE_SECONDS, BATCH);
  await eachOwed(deps, stalled, async (owed) => {
    const run = await describeRun(temporal, artifactWorkflowId(owed.artifactId));
    await markArtifactChecked(database.pool, owed.artifactId);
    if (run.state === 'open' || !(await repeatProcessCommand(database.pool, owed))) return;
    metrics.repairs.inc({ action: 'artifact' });
    logger.warn({ event: 'artifact.repaired', ...owed, run: run.state });
  });
}
