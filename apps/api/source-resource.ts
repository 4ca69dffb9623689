import type { SourceResource } from '../../contract/resources.ts';
import type { SourceRow } from '../../db/queries/sources/read-sources.ts';

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** A source's row as responses show it. */
export function toSourceResource(row: SourceRow): SourceResource {
  const stageStarted = row.stage === null ? undefined : row.stageTimes[row.stage];
  return {
    id: row.id,
    spaceId: row.spaceId,
    collectionId: row.collectionId,
    type: row.type,
    name: row.name,
    status: row.status,
    generation: row.generation,
    revision: row.revision,
    resultGeneration: row.resultGeneration,
    contextGeneration: row.contextGeneration,
    artifactsGeneration: row.artifactsGeneration,
    initial_data: row.initialData,
    ...(row.truncated ? { truncated: true as const } : {}),
    instructions: row.instructions,
    metadata: row.metadata,
    externalId: row.externalId,
    pinned: row.pinned,
    error: row.error,
    progress:
      row.stage === null || stageStarted === undefined
        ? null
        : { stage: row.stage, startedAt: new Date(stageStarted).toISOString() },
    postback:
      row.postbackId === null || row.postbackState === null
        ? null
        : {
            id: row.postbackId,
            state: row.postbackState,
            attempts: row.postbackAttempts ?? 0,
            lastStatusCode: row.postbackStatusCode,
            nextAttemptAt: iso(row.postbackNextAttemptAt),
          },
    stale: row.stale,
    skippedMembers: row.skippedMembers,
    contentType: row.contentType,
    sizeBytes: row.contentSize,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    startedAt: iso(row.startedAt),
    finishedAt: iso(row.finishedAt),
    deletedAt: iso(row.deletedAt),
  };
}
