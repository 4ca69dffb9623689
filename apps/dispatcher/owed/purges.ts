/** What was deleted long enough ago is purged; a purge that has begun and has no run is begun again. */
import { purgeWorkflowId } from '../../../contract/commands.ts';
import { findStalledPurges } from '../../../db/queries/find-owed-deletions.ts';
import { markChecked } from '../../../db/transitions/repair.ts';
import { repeatPurge, startPurges } from '../../../db/transitions/start-purge.ts';
import { describeRun } from '../describe-run.ts';
import type { DispatcherDependencies } from '../dispatcher.ts';
import { eachOwed } from '../each-owed.ts';

const BATCH = 100;

/** Starts the purges that are due, and sends the command again for those without an open run. */
export async function reconcilePurges(deps: DispatcherDependencies): Promise<void> {
  const { config, database, temporal, logger, metrics } = deps;
  for (const { of, id } of await startPurges(database.pool, config.RETENTION_SECONDS, BATCH)) {
    logger.info({ event: 'purge.started', of, id });
  }
  const stalled = await findStalledPurges(database.pool, config.RECONCILER_GRACE_SECONDS, BATCH);
  await eachOwed(deps, stalled, async (subject) => {
    const run = await describeRun(temporal, purgeWorkflowId(subject));
    if (subject.of === 'source') await markChecked(database.pool, subject.id);
    if (run.state === 'open' || !(await repeatPurge(database.pool, subject))) return;
    metrics.repairs.inc({ action: 'purge' });
    logger.warn({ event: 'purge.repaired', ...subject, run: run.state });
  });
}
