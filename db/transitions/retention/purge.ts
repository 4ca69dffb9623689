/** Reads, closes and removes the rows of a purge. Only rows marked by `purging_at` are changed. */
import type { PurgeSubject } from '../../../contract/commands.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import { stopDeliveries } from '../postbacks/record-delivery-attempt.ts';

/** `folder` is the prefix of the upload's keys. It has no file name, since it is stored in a run's history. */
export interface PurgedUpload {
  id: string;
  folder: string;
}

/** A source to remove, and its upload. */
export interface PurgedSource {
  sourceId: string;
  upload: PurgedUpload | null;
}

const folder = "substring(u.file_key from '^uploads/[^/]+/')";
const sourceWithUpload = `s.id as "sourceId",
  case when u.id is not null then json_build_object('id', u.id, 'folder', ${folder}) end as upload`;

const ofSource = statement<PurgedSource>(
  'find-purged-source',
  `select ${sourceWithUpload} from sources s left join uploads u on u.id = s.upload_id
   where s.id = $1 and s.purging_at is not null limit $2`,
);

const ofSpace = statement<PurgedSource>(
  'find-purged-sources-of-space',
  `select ${sourceWithUpload} from spaces sp
   join sources s on s.space_id = sp.id left join uploads u on u.id = s.upload_id
   where sp.id = $1 and sp.purging_at is not null order by s.id limit $2`,
);

/** Up to `limit` sources that this purge has not removed yet. */
export async function findPurgedSources(
  session: Session,
  { of, id }: PurgeSubject,
  limit: number,
): Promise<PurgedSource[]> {
  return query(session, of === 'source' ? ofSource : ofSpace, [id, limit]);
}

const stillMarked = statement<{ id: string }>(
  'find-marked-sources',
  `select s.id from sources s join spaces sp on sp.id = s.space_id
   where s.id = any($1::uuid[]) and (s.purging_at is not null or sp.purging_at is not null)`,
);

/** Returns the ids of the sources that are marked for a purge, themselves or by their space. */
export async function filterMarkedSources(session: Session, sourceIds: string[]): Promise<string[]> {
  return (await query(session, stillMarked, [sourceIds])).map(({ id }) => id);
}

const removeCommands = statement(
  'remove-commands-of-purged',
  `delete from outbox where source_id = any($1::uuid[]) and command <> 'purge'
     or artifact_id in (select id from artifacts where source_id = any($1::uuid[]))`,
);

const processedArtifacts = statement<{ id: string }>(
  'list-processed-artifacts',
  'select id from artifacts where source_id = any($1::uuid[]) and round > 0',
);

/**
 * Ends the pending postbacks of these sources and removes their commands, so that no run of theirs begins any more.
 * Returns the artifacts that were processed or may be in processing. Runs inside the caller's transaction.
 */
export async function closeSources(session: Session, sourceIds: string[]): Promise<{ artifactIds: string[] }> {
  for (const sourceId of [...sourceIds].sort()) await stopDeliveries(session, sourceId, 'purged');
  await query(session, removeCommands, [sourceIds]);
  const artifacts = await query(session, processedArtifacts, [sourceIds]);
  return { artifactIds: artifacts.map(({ id }) => id) };
}

// Sources of a purged space get no tombstone: that of the space covers them.
const removeRows = statement<{ id: string }>(
  'remove-purged-sources',
  `with gone as (
     select s.id, sp.purging_at is null as alone from sources s join spaces sp on sp.id = s.space_id
     where s.id = any($1::uuid[]) and (s.purging_at is not null or sp.purging_at is not null)
     order by s.id for update of s
   ), tombstone as (
     insert into tombstones (of, id) select 'source', id from gone where alone on conflict do nothing
   )
   delete from sources where id in (select id from gone) returning id`,
);

/**
 * Removes the sources with their dependent rows, and the stored responses about them. Returns the number of removed
 * sources. Runs inside the caller's transaction.
 */
export async function removeSources(session: Session, sourceIds: string[]): Promise<number> {
  if (sourceIds.length === 0) return 0;
  await query(session, removeResponsesOfSources, [sourceIds, sourceIds.join('|')]);
  return (await query(session, removeRows, [sourceIds])).length;
}

/** Stored responses contain user content. `pattern` is a regular expression of the ids in them. */
const removeResponses = (owners: string, pattern: string) =>
  `delete from idempotency_keys k where k.owner_id in (${owners}) and (k.answer ~ ${pattern} or k.operation ~ ${pattern})`;

const removeResponsesOfSources = statement(
  'remove-answers-of-sources',
  removeResponses('select owner_id from sources where id = any($1::uuid[])', '$2'),
);

const removeResponsesOfUploads = statement(
  'remove-answers-of-uploads',
  removeResponses('select owner_id from uploads where id = any($1::uuid[])', '$2'),
);

const removeResponsesOfSpace = statement(
  'remove-answers-of-space',
  removeResponses('select owner_id from spaces where id = $1', '$2'),
);

const lockUnused = statement<PurgedUpload>(
  'lock-unused-uploads',
  `select u.id, ${folder} as folder from uploads u
   where u.id = any($1::uuid[]) and not exists (select from sources s where s.upload_id = u.id)
   order by u.id for update`,
);

const removeUnused = statement(
  'remove-unused-uploads',
  `delete from uploads u where u.id = any($1::uuid[])
     and not exists (select from sources s where s.upload_id = u.id)`,
);

const presentUploads = statement<{ id: string }>(
  'list-present-uploads',
  'select id from uploads where id = any($1::uuid[])',
);

/**
 * Removes the uploads that no source uses. Returns the uploads without a row, whose objects are to be removed. The lock
 * waits for concurrent claims. Runs inside the caller's transaction.
 */
export async function removeUploads(session: Session, uploads: PurgedUpload[]): Promise<PurgedUpload[]> {
  const unused = await query(session, lockUnused, [uploads.map(({ id }) => id)]);
  const ids = unused.map(({ id }) => id);
  if (ids.length > 0) {
    await query(session, removeResponsesOfUploads, [ids, unused.map(({ folder }) => folder).join('|')]);
    await query(session, removeUnused, [ids]);
  }
  const rows = await query(session, presentUploads, [uploads.map(({ id }) => id)]);
  const present = new Set(rows.map(({ id }) => id));
  return uploads.filter(({ id }) => !present.has(id));
}

const removeSpaceRow = statement<{ id: string }>(
  'remove-purged-space',
  `with gone as (
     delete from spaces sp where sp.id = $1 and sp.purging_at is not null
       and not exists (select from sources s where s.space_id = sp.id)
     returning id
   )
   insert into tombstones (of, id) select 'space', id from gone on conflict (of, id) do update set created_at = now()
   returning id`,
);

/**
 * Removes an empty space with its collections, and the stored responses about it. False when it is gone or has a source
 * again. Runs inside the caller's transaction.
 */
export async function removeSpace(session: Session, spaceId: string): Promise<boolean> {
  await query(session, removeResponsesOfSpace, [spaceId, spaceId]);
  return (await queryOne(session, removeSpaceRow, [spaceId])) !== null;
}
