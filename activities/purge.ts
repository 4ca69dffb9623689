/**
 * The steps of a purge. Each may be done twice or stop anywhere: the next try finds what is left. Where the bucket does
 * not belong to the database any more, they fail and are tried again until an operator has accepted it.
 */
import { WorkflowNotFoundError } from '@temporalio/client';
import { artifactWorkflowId, type PurgeSubject, sourceWorkflowId } from '../contract/commands.ts';
import { inBucketsDatabase } from '../db/transitions/belonging.ts';
import {
  closeSources,
  findPurgedSources,
  keepMarked,
  type PurgedSource,
  removeSources,
  removeSpace,
  removeUploads,
} from '../db/transitions/purge.ts';
import { withDeadline } from '../platform/temporal.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeat } from './heartbeat.ts';

const BATCH = 100;

/** The next sources that the purge has to remove; none once it has only the space itself left. */
export async function findSourcesToPurge(deps: Dependencies, subject: PurgeSubject): Promise<PurgedSource[]> {
  return inBucketsDatabase(deps, (session) => findPurgedSources(session, subject, BATCH));
}

/** Ends whatever runs for these sources, deliveries and artifacts too. A run that Temporal ended writes no more. */
export async function endRuns(deps: Dependencies, sourceIds: string[]): Promise<void> {
  await withHeartbeat(async (signal) => {
    const { artifactIds } = await inBucketsDatabase(deps, (session) => closeSources(session, sourceIds));
    for (const workflowId of [...sourceIds.map(sourceWorkflowId), ...artifactIds.map(artifactWorkflowId)]) {
      signal.throwIfAborted();
      await terminate(deps, workflowId);
    }
  });
}

/** Terminate answers once the run is closed; one that is closed or gone already is fine. */
async function terminate({ temporal }: Dependencies, workflowId: string): Promise<void> {
  try {
    await withDeadline(temporal, () => temporal.workflow.getHandle(workflowId).terminate('Its source is purged'));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Removes the sources' objects, then their rows: as long as a row is there, somebody finds it and goes on. */
export async function purgeSources(deps: Dependencies, sourceIds: string[]) {
  const { storage, logger, metrics } = deps;
  await withHeartbeat(async (signal) => {
    let objects = 0;
    // In a database that was restored meanwhile they may be alive.
    const marked = await inBucketsDatabase(deps, (session) => keepMarked(session, sourceIds));
    for (const id of marked) objects += await storage.deletePrefix(`sources/${id}/`, { signal });
    const sources = await inBucketsDatabase(deps, (session) => removeSources(session, marked));
    metrics.purged.inc({ of: 'source' }, sources);
    logger.info({ event: 'purge.sources_removed', sources, objects, sourceIds: marked });
  });
}

/** Removes the uploads that no source uses any more, rows and objects. */
export async function purgeUploads(deps: Dependencies, fileKeys: string[]) {
  const { storage, logger, metrics } = deps;
  await withHeartbeat(async (signal) => {
    const keys = await inBucketsDatabase(deps, (session) => removeUploads(session, fileKeys));
    await storage.deleteKeys(keys, { signal });
    metrics.purged.inc({ of: 'upload' }, keys.length);
    logger.info({ event: 'purge.uploads_removed', uploads: keys.length });
  });
}

/** Removes an emptied space with its collections. */
export async function purgeSpace(deps: Dependencies, spaceId: string): Promise<void> {
  const { logger, metrics } = deps;
  const removed = await inBucketsDatabase(deps, (session) => removeSpace(session, spaceId));
  if (removed) metrics.purged.inc({ of: 'space' });
  logger.info({ event: 'purge.space_removed', spaceId, removed });
}
