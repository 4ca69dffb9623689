/**
 * The activities of a purge. Each is idempotent and may stop anywhere: the next attempt continues with what is left.
 * While bucket and database do not belong together, they fail and are retried until an operator has resumed sweeps.
 */
import { Context } from '@temporalio/activity';
import { artifactWorkflowId, type PurgeSubject, sourceWorkflowId } from '../contract/commands.ts';
import { withBucketOwnership } from '../db/bucket-ownership.ts';
import {
  closeSources,
  filterMarkedSources,
  findPurgedSources,
  type PurgedSource,
  type PurgedUpload,
  removeSources,
  removeSpace,
  removeUploads,
} from '../db/transitions/retention/purge.ts';
import { deleteFoundExecutions, deleteNewestExecutions, executionsWith } from '../platform/delete-executions.ts';
import type { Dependencies } from './runtime/dependencies.ts';
import { withHeartbeat } from './runtime/heartbeat.ts';

const BATCH = 100;

/** The next sources to remove, BATCH at most; none when only the space itself is left. */
export async function findSourcesToPurge(deps: Dependencies, subject: PurgeSubject): Promise<PurgedSource[]> {
  return withBucketOwnership(deps, (session) => findPurgedSources(session, subject, BATCH));
}

/**
 * Ends the runs of these sources and their artifacts, deliveries included, and deletes all their executions from
 * Temporal, those of earlier purges included. A run that Temporal has ended writes nothing more.
 */
export async function endRuns(deps: Dependencies, sourceIds: string[]): Promise<void> {
  const { temporal } = deps;
  await withHeartbeat(async (signal) => {
    const { artifactIds } = await withBucketOwnership(deps, (session) => closeSources(session, sourceIds));
    const workflowIds = sourceIds.map(sourceWorkflowId);
    // First by id, since visibility lags; then the earlier runs, and those of deleted artifacts.
    await deleteNewestExecutions(temporal, [...workflowIds, ...artifactIds.map(artifactWorkflowId)], signal);
    const options = { exceptRunId: thisRun(), signal };
    const query = `${executionsWith('WorkflowId', workflowIds)} OR ${executionsWith('SourceId', sourceIds)}`;
    await deleteFoundExecutions(temporal, query, options);
  });
}

/** The purge's own run, which must not be deleted here. It has only ids, and the sweep of executions deletes it. */
function thisRun(): string | undefined {
  return Context.current().info.workflowExecution?.runId;
}

/** Removes the sources' objects, then their rows: as long as a row exists, a retry or the reconciler continues. */
export async function purgeSources(deps: Dependencies, sourceIds: string[]) {
  const { storage, logger, metrics } = deps;
  await withHeartbeat(async (signal) => {
    let objects = 0;
    // In a database that was restored meanwhile, the sources may be live.
    const marked = await withBucketOwnership(deps, (session) => filterMarkedSources(session, sourceIds));
    for (const id of marked) objects += await storage.deletePrefix(`sources/${id}/`, { signal });
    const sources = await withBucketOwnership(deps, (session) => removeSources(session, marked));
    metrics.purged.inc({ of: 'source' }, sources);
    logger.info({ event: 'purge.sources_removed', sources, objects, sourceIds: marked });
  });
}

/** Removes the uploads that no source uses any more, rows and objects. */
export async function purgeUploads(deps: Dependencies, uploads: PurgedUpload[]) {
  const { storage, logger, metrics } = deps;
  await withHeartbeat(async (signal) => {
    const removed = await withBucketOwnership(deps, (session) => removeUploads(session, uploads));
    for (const { folder } of removed) await storage.deletePrefix(folder, { signal });
    metrics.purged.inc({ of: 'upload' }, removed.length);
    logger.info({ event: 'purge.uploads_removed', uploads: removed.length });
  });
}

/** Removes an empty space with its collections, and its remaining executions in Temporal. */
export async function purgeSpace(deps: Dependencies, spaceId: string): Promise<void> {
  const { temporal, logger, metrics } = deps;
  await withHeartbeat(async (signal) => {
    const query = executionsWith('SpaceId', [spaceId]);
    await deleteFoundExecutions(temporal, query, { exceptRunId: thisRun(), signal });
    const removed = await withBucketOwnership(deps, (session) => removeSpace(session, spaceId));
    if (removed) metrics.purged.inc({ of: 'space' });
    logger.info({ event: 'purge.space_removed', spaceId, removed });
  });
}
