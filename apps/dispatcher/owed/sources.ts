/** Sources that have not ended, whose run is closed or missing. */
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { findStalledSources } from '../../../db/queries/find-owed.ts';
import { transaction } from '../../../db/sql.ts';
import { markChecked, repairSource } from '../../../db/transitions/repair.ts';
import { describeRun } from '../describe-run.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { eachOwed } from '../each-owed.ts';

const BATCH = 100;

/** Looks at the sources that stood still the longest, and gives those without an open run a new generation. */
export async function reconcileSources(deps: DispatcherDependencies): Promise<void> {
  const { config, database, temporal, logger, metrics } = deps;
  const stalled = await findStalledSources(database.pool, config.RECONCILER_GRACE_SECONDS, BATCH);
  await eachOwed(deps, stalled, async ({ sourceId, generation }) => {
    const run = await describeRun(temporal, sourceWorkflowId(sourceId));
    if (run.state === 'open') {
      await markChecked(database.pool, sourceId);
      return;
    }
    const action = await transaction(database, (session) =>
      repairSource(session, config.PUBLIC_URL, { sourceId, generation, endRunId: run.runId }),
    );
    if (action === null) return;
    metrics.repairs.inc({ action });
    logger.warn({ event: 'source.repaired', sourceId, generation, run: run.state, action });
  });
}
