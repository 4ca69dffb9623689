/** The rows of a purge: read, closed and removed. Nothing here touches what is not marked by `purging_at`. */
import type { PurgeSubject } from '../../../contract/commands.ts';
import { query, queryOne, type Session, statement } from '../../sql.ts';
import { stopDeliveries } from '../postbacks/record-delivery-attempt.ts';

/** The folder is what all of an upload's keys begin with: it holds no file name, and stands in a run's history. */
export interface PurgedUpload {
  id: string;
  folder: string;
}

/** A source that is to be removed, and the upload that it was made from. */
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

const processedArtifacts = statement<{ id: string }>(
  'list-processed-artifacts',
  'select id from artifacts where source_id = any($1::uuid[]) and round > 0',
);

/**
 * Closes the deliveries of these sources, and takes back every command about them: no run of theirs begins any more.
 * Returns the artifacts that a run has processed, or may be processing. Runs inside the caller's transaction.
 */
export async function closeSources(session: Session, sourceIds: string[]): Promise<{ artifactIds: string[] }> {
  for (const sourceId of [...sourceIds].sort()) await stopDeliveries(session, sourceId, 'purged');
  await query(session, removeCommands, [sourceIds]);
  const artifacts = await query(session, processedArtifacts, [sourceIds]);
  return { artifactIds: artifacts.map(({ id }) => id) };
}

// Of a purged space the one tombstone stands for all that was in it.
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
 * Removes the sources with all that hangs on them, and the answers that are kept for requests about them; returns how
 * many there were. Runs inside the caller's transaction.
 */
export async function removeSources(session: Session, sourceIds: string[]): Promise<number> {
  if (sourceIds.length === 0) return 0;
  await query(session, removeAnswersOfSources, [sourceIds, sourceIds.join('|')]);
  return (await query(session, removeRows, [sourceIds])).length;
}

/** Answers to Idempotency-Keys say what users wrote. `pattern` is a regular expression of the ids that they name. */
const removeAnswers = (owners: string, pattern: string) =>
  `delete from idempotency_keys k where k.owner_id in (${owners}) and (k.answer ~ ${pattern} or k.operation ~ ${pattern})`;

const removeAnswersOfSources = statement(
  'remove-answers-of-sources',
  removeAnswers('select owner_id from sources where id = any($1::uuid[])', '$2'),
);

const removeAnswersOfUploads = statement(
  'remove-answers-of-uploads',
  removeAnswers('select owner_id from uploads where id = any($1::uuid[])', '$2'),
);

const removeAnswersOfSpace = statement(
  'remove-answers-of-space',
  removeAnswers('select owner_id from spaces where id = $1', '$2'),
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
 * Removes those of the uploads that no source uses, and returns which of them have no row now: their objects are to
 * go. The lock waits for whoever is just claiming one. Runs inside the caller's transaction.
 */
export async function removeUploads(session: Session, uploads: PurgedUpload[]): Promise<PurgedUpload[]> {
  const unused = await query(session, lockUnused, [uploads.map(({ id }) => id)]);
  const ids = unused.map(({ id }) => id);
  if (ids.length > 0) {
    await query(session, removeAnswersOfUploads, [ids, unused.map(({ folder }) => folder).join('|')]);
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
 * Removes an emptied space with its collections, and the answers that are kept for requests about it. False: it is gone,
 * or holds a source again. Runs inside the caller's transaction.
 */
export async function removeSpace(session: Session, spaceId: string): Promise<boolean> {
  await query(session, removeAnswersOfSpace, [spaceId, spaceId]);
  return (await queryOne(session, removeSpaceRow, [spaceId])) !== null;
}
