/**
 * Whether database and bucket belong together. The bucket holds a mark: which database it belongs to, and the last of
 * the ids that this one keeps for it, a new one every minute. A database restored from a backup, a copy of its files,
 * or another service's is another one, or does not know that id. It knows nothing of newer objects either, so nothing
 * is removed by its word until an operator has accepted it (`npm run admin -- sweeps resume`).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Storage } from '../platform/storage.ts';
import { ObjectMissingError } from '../platform/storage-errors.ts';
import type { Database } from './orm.ts';
import { query, queryOne, type Session, statement, transaction } from './sql.ts';

/** Apart from what is ever collected or purged. */
const KEY = 'database.json';
const MAX_BYTES = 10_000;
/** A database restored to less than this ago is not noticed, unless by its identity. */
const RENEWED_AFTER_MS = 60_000;

const markSchema = z.object({
  id: z.uuid(),
  /** For people, too: cluster, timeline, database and tables. */
  identity: z.string(),
  markedAt: z.iso.datetime(),
});
export type DatabaseMark = z.infer<typeof markSchema>;

/** Sweeps, purges and the collector do nothing for now. */
export class GarbageCollectionPausedError extends Error {
  override readonly name = 'GarbageCollectionPausedError';

  constructor(reason: string) {
    super(`${reason} Sweeps and purges wait for "npm run admin -- sweeps resume".`);
  }
}

interface Place {
  database: Database;
  storage: Storage;
}

async function readMark(storage: Storage, signal?: AbortSignal): Promise<DatabaseMark | null> {
  try {
    const { body } = await storage.get(KEY, { maxBytes: MAX_BYTES, signal });
    return markSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  } catch (error) {
    if (error instanceof ObjectMissingError) return null;
    throw error;
  }
}

/**
 * The system identifier tells clusters apart, the timeline a promotion or a recovery to a point in time, the oids a
 * dump that was restored into the same cluster. Every role may ask for these, unless that was taken from it.
 */
const compare = statement<{ identity: string; known: boolean }>(
  'compare-bucket-mark',
  `select format('system %s, timeline %s, database %s, tables %s',
       (select system_identifier from pg_control_system()),
       -- pg_control_checkpoint() lags behind a promotion.
       ltrim(left(pg_walfile_name(pg_current_wal_lsn()), 8), '0'),
       (select oid from pg_database where datname = current_database()),
       'sources'::regclass::oid) as identity,
     exists (select from bucket_marks where id = $1::uuid) as known`,
);

/** Which database this is, and why nothing may be removed by its word, if so. */
async function look(session: Session, mark: DatabaseMark | null) {
  const present = await queryOne(session, compare, [mark?.id ?? null]);
  if (present === null) throw new Error('PostgreSQL did not say which database it is.');
  return { identity: present.identity, heldFor: reasonToHold(mark, present) };
}

function reasonToHold(mark: DatabaseMark | null, { identity, known }: { identity: string; known: boolean }) {
  if (mark === null) return 'The bucket is marked as no database’s yet, which the dispatcher does soon.';
  if (mark.identity !== identity) return `The bucket belongs to the database ${mark.identity}; this is ${identity}.`;
  return known ? null : `The database is older than it was at ${mark.markedAt}, when it marked the bucket.`;
}

/**
 * Runs `work` in a transaction, on a connection to the database that the bucket belongs to: what it reads there may be
 * removed from the bucket.
 * @throws GarbageCollectionPausedError where that is another one.
 */
export async function withBucketOwnership<T>(
  { database, storage }: Place,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const mark = await readMark(storage);
  return transaction(database, async (session) => {
    const { heldFor } = await look(session, mark);
    if (heldFor !== null) throw new GarbageCollectionPausedError(heldFor);
    return work(session);
  });
}

/**
 * Renews the mark, or makes the first one; once a minute is enough.
 * @throws GarbageCollectionPausedError where the bucket belongs to another database.
 */
export async function renewMarker(place: Place): Promise<void> {
  const mark = await readMark(place.storage);
  const { heldFor } = await look(place.database.pool, mark);
  if (mark !== null && heldFor !== null) throw new GarbageCollectionPausedError(heldFor);
  if (mark === null || Date.now() - Date.parse(mark.markedAt) > RENEWED_AFTER_MS) await markBucket(place);
}

/** A week of minutes: a process that was paused may write a mark late. */
const KNOWN_MARKS = 10_000;

const keepId = statement(
  'keep-bucket-mark',
  `with forgotten as (
     delete from bucket_marks where created_at < (
       select created_at from bucket_marks order by created_at desc offset ${KNOWN_MARKS} limit 1))
   insert into bucket_marks (id) values ($1)`,
);

/** Marks the bucket as that of the present database, whatever it was marked as. The id is known before it is used. */
export async function markBucket({ database, storage }: Place): Promise<DatabaseMark> {
  const { identity } = await look(database.pool, null);
  const mark: DatabaseMark = { id: randomUUID(), identity, markedAt: new Date().toISOString() };
  await query(database.pool, keepId, [mark.id]);
  await storage.put(KEY, JSON.stringify(mark), 'application/json');
  return mark;
}

/** What the bucket's mark says, which database this is, and why sweeps and purges wait, if they do. */
export async function compareMarker({ database, storage }: Place, signal?: AbortSignal) {
  const mark = await readMark(storage, signal);
  return { mark, ...(await look(database.pool, mark)) };
}
