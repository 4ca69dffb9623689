/**
 * The steps of a purge. Each may be done twice or stop anywhere: the next try finds what is left. Where the bucket does
 * not belong to the database any more, they fail and are tried again until an operator has accepted it.
 */
import { Context } from '@temporalio/activity';
import { artifactWorkflowId, type PurgeSubject, sourceWorkflowId } from '../contract/commands.ts';
import { withBucketOwnership } from '../db/bucket-ownership.ts';
import {
  closeSources,
  findPurgedSources,
  keepMarked,
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

/** The next sources that the purge has to remove; none once it has only the space itself left. */
export async function findSourcesToPurge(deps: Dependencies, subject: PurgeSubject): Promise<PurgedSource[]> {
  return withBucketOwnership(deps, (session) => findPurgedSources(session, subject, BATCH));
}

/**
 * Ends whatever runs for these sources, deliveries and artifacts too, and removes all their executions from Temporal,
 * those of earlier purges too. A run that Temporal ended writes no more.
 */
export async function endRuns(deps: Dependencies, sourceIds: string[]): Promise<void> {
  const { temporal } = deps;
  await withHeartbeat(async (signal) => {
    const { artifactIds } = await withBucketOwnership(deps, (session) => closeSources(session, sourceIds));
    const workflowIds = sourceIds.map(sourceWorkflowId);
    // By their ids first, since lists lag; then the runs before the newest, and those of artifacts that are gone.
    await deleteNewestExecutions(temporal, [...workflowIds, ...artifactIds.map(artifactWorkflowId)], signal);
    const options = { exceptRunId: thisRun(), signal };
    const query = `${executionsWith('WorkflowId', workflowIds)} OR ${executionsWith('SourceId', sourceIds)}`;
    await deleteFoundExecutions(temporal, query, options);
  });
}

/** The purge's own run, which goes on. It holds ids alone, and is removed by the sweep of executions. */
function thisRun(): string | undefined {
  return Context.current().info.workflowExecution?.runId;
}

/** Removes the sources' objects, then their rows: as long as a row is there, somebody finds it and goes on. */
export async function purgeSources(deps: Dependencies, sourceIds: string[]) {
  const { storage, logger, metrics } = deps;
  await withHeartbeat(async (signal) => {
    let objects = 0;
    // In a database that was restored meanwhile they may be alive.
    const marked = await withBucketOwnership(deps, (session) => keepMarked(session, sourceIds));
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

/** Removes an emptied space with its collections, and what Temporal still holds of it. */
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
