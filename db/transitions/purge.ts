/** The rows of a purge: read, closed and removed. Nothing here touches what is not marked by `purging_at`. */
import type { PurgeSubject } from '../../contract/commands.ts';
import { query, queryOne, type Session, statement } from '../sql.ts';
import { stopDeliveries } from './record-delivery-attempt.ts';

/** A source that is to be removed, and the upload that it was made from. */
export interface PurgedSource {
  sourceId: string;
  fileKey: string | null;
}

const ofSource = statement<PurgedSource>(
  'find-purged-source',
  `select s.id as "sourceId", u.file_key as "fileKey" from sources s left join uploads u on u.id = s.upload_id
   where s.id = $1 and s.purging_at is not null limit $2`,
);

const ofSpace = statement<PurgedSource>(
  'find-purged-sources-of-space',
  `select s.id as "sourceId", u.file_key as "fileKey" from spaces sp
   join sources s on s.space_id = sp.id left join uploads u on u.id = s.upload_id
   where sp.id = $1 and sp.purging_at is not null order by s.id limit $2`,
);

/** Up to `limit` sources that this purge has still to remove. */
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

/** Those of the sources that a purge has still to remove. */
export async function keepMarked(session: Session, sourceIds: string[]): Promise<string[]> {
  return (await query(session, stillMarked, [sourceIds])).map(({ id }) => id);
}

const removeCommands = statement(
  'remove-commands-of-purged',
  `delete from outbox where source_id = any($1::uuid[]) and command <> 'purge'
     or artifact_id in (select id from artifacts where source_id = any($1::uuid[]))`,
);

const processingArtifacts = statement<{ id: string }>(
  'list-processing-artifacts',
  "select id from artifacts where source_id = any($1::uuid[]) and status = 'PROCESSING'",
);

/**
 * Closes the deliveries of these sources, and takes back every command about them: no run of theirs begins any more.
 * Returns the artifacts that a run may be processing. Runs inside the caller's transaction.
 */
export async function closeSources(session: Session, sourceIds: string[]): Promise<{ artifactIds: string[] }> {
  for (const sourceId of [...sourceIds].sort()) await stopDeliveries(session, sourceId, 'purged');
  await query(session, removeCommands, [sourceIds]);
  const artifacts = await query(session, processingArtifacts, [sourceIds]);
  return { artifactIds: artifacts.map(({ id }) => id) };
}

const removeRows = statement<{ id: string }>(
  'remove-purged-sources',
  `delete from sources where id in (
     select s.id from sources s join spaces sp on sp.id = s.space_id
     where s.id = any($1::uuid[]) and (s.purging_at is not null or sp.purging_at is not null)
     order by s.id for update of s)
   returning id`,
);

/** Removes the sources with all that hangs on them; returns how many there were. */
export async function removeSources(session: Session, sourceIds: string[]): Promise<number> {
  return (await query(session, removeRows, [sourceIds])).length;
}

const lockUploads = statement(
  'lock-purged-uploads',
  'select id from uploads where file_key = any($1::text[]) order by id for update',
);

const removeUnused = statement(
  'remove-unused-uploads',
  `delete from uploads u where u.file_key = any($1::text[])
     and not exists (select from sources s where s.upload_id = u.id)`,
);

const unknownKeys = statement<{ key: string }>(
  'list-keys-without-upload',
  `select k.key from unnest($1::text[]) as k(key)
   where not exists (select from uploads u where u.file_key = k.key)`,
);

/**
 * Removes those of the uploads that no source uses, and returns which of the keys belong to no upload now: their
 * objects are to go. The lock waits for whoever is just claiming one. Runs inside the caller's transaction.
 */
export async function removeUploads(session: Session, fileKeys: string[]): Promise<string[]> {
  await query(session, lockUploads, [fileKeys]);
  await query(session, removeUnused, [fileKeys]);
  return (await query(session, unknownKeys, [fileKeys])).map(({ key }) => key);
}

const removeSpaceRow = statement<{ id: string }>(
  'remove-purged-space',
  `delete from spaces sp where sp.id = $1 and sp.purging_at is not null
     and not exists (select from sources s where s.space_id = sp.id)
   returning id`,
);

/** Removes an emptied space with its collections. False: it is gone, or holds a source again. */
export async function removeSpace(session: Session, spaceId: string): Promise<boolean> {
  return (await queryOne(session, removeSpaceRow, [spaceId])) !== null;
}
