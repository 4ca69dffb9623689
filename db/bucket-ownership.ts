/**
 * Whether database and bucket belong together. The bucket has a marker object with the identity of its database and an
 * id, new every minute, that is also in the table `bucket_marks`. A database restored from a backup, a copy of its
 * files, or another service's database has another identity or lacks that id. It also lacks the rows of newer objects,
 * so nothing is removed until an operator accepts the database (`npm run admin -- sweeps resume`).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Storage } from '../platform/storage.ts';
import { ObjectMissingError } from '../platform/storage-errors.ts';
import type { Database } from './orm.ts';
import { query, queryOne, type Session, statement, transaction } from './sql.ts';

/** Key of the marker, outside the prefixes that are collected or purged. */
const KEY = 'database.json';
const MAX_BYTES = 10_000;
/** Interval between markers. A restore to less than this ago is detected only by the identity. */
const RENEWED_AFTER_MS = 60_000;

const markerSchema = z.object({
  id: z.uuid(),
  /** Readable by operators: cluster, timeline, database and tables. */
  identity: z.string(),
  markedAt: z.iso.datetime(),
});
export type OwnershipMarker = z.infer<typeof markerSchema>;

/** Sweeps, purges and the collector are paused. */
export class GarbageCollectionPausedError extends Error {
  override readonly name = 'GarbageCollectionPausedError';

  constructor(reason: string) {
    super(`${reason} Sweeps and purges wait for "npm run admin -- sweeps resume".`);
  }
}

interface Stores {
  database: Database;
  storage: Storage;
}

async function readMarker(storage: Storage, signal?: AbortSignal): Promise<OwnershipMarker | null> {
  try {
    const { body } = await storage.get(KEY, { maxBytes: MAX_BYTES, signal });
    return markerSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  } catch (error) {
    if (error instanceof ObjectMissingError) return null;
    throw error;
  }
}

/**
 * The system identifier distinguishes clusters; the timeline, a promotion or point-in-time recovery; the oids, a dump
 * that was restored into the same cluster. Every role may call these functions, unless that was revoked.
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

/** The identity of this database, and why garbage collection is paused (null: it is not). */
async function compareDatabase(session: Session, mark: OwnershipMarker | null) {
  const actual = await queryOne(session, compare, [mark?.id ?? null]);
  if (actual === null) throw new Error('PostgreSQL did not return its identity.');
  return { identity: actual.identity, pauseReason: pauseReasonOf(mark, actual) };
}

function pauseReasonOf(mark: OwnershipMarker | null, { identity, known }: { identity: string; known: boolean }) {
  if (mark === null) return 'The bucket has no ownership marker yet; the dispatcher writes it soon.';
  if (mark.identity !== identity) return `The bucket belongs to the database ${mark.identity}; this is ${identity}.`;
  return known ? null : `The database is older than it was at ${mark.markedAt}, when it marked the bucket.`;
}

/**
 * Runs `work` in a transaction after checking that the bucket belongs to this database: `work` may decide by its rows
 * which objects to remove.
 * @throws GarbageCollectionPausedError when bucket and database do not belong together.
 */
export async function withBucketOwnership<T>(
  { database, storage }: Stores,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const mark = await readMarker(storage);
  return transaction(database, async (session) => {
    const { pauseReason } = await compareDatabase(session, mark);
    if (pauseReason !== null) throw new GarbageCollectionPausedError(pauseReason);
    return work(session);
  });
}

/**
 * Writes a new marker if there is none or it is a minute old.
 * @throws GarbageCollectionPausedError when the bucket belongs to another database.
 */
export async function renewMarker(stores: Stores): Promise<void> {
  const mark = await readMarker(stores.storage);
  const { pauseReason } = await compareDatabase(stores.database.pool, mark);
  if (mark !== null && pauseReason !== null) throw new GarbageCollectionPausedError(pauseReason);
  if (mark === null || Date.now() - Date.parse(mark.markedAt) > RENEWED_AFTER_MS) await markBucket(stores);
}

/** Marker ids that are kept, one a minute for a week: a paused process may write its marker late. */
const KNOWN_MARKS = 10_000;

const keepId = statement(
  'keep-bucket-mark',
  `with forgotten as (
     delete from bucket_marks where created_at < (
       select created_at from bucket_marks order by created_at desc offset ${KNOWN_MARKS} limit 1))
   insert into bucket_marks (id) values ($1)`,
);

/** Writes a marker of this database, whatever the bucket's marker was. Its id is stored before it is written. */
export async function markBucket({ database, storage }: Stores): Promise<OwnershipMarker> {
  const { identity } = await compareDatabase(database.pool, null);
  const mark: OwnershipMarker = { id: randomUUID(), identity, markedAt: new Date().toISOString() };
  await query(database.pool, keepId, [mark.id]);
  await storage.put(KEY, JSON.stringify(mark), 'application/json');
  return mark;
}

/** The bucket's marker, the identity of this database, and why sweeps and purges are paused (null: they are not). */
export async function compareMarker({ database, storage }: Stores, signal?: AbortSignal) {
  const mark = await readMarker(storage, signal);
  return { mark, ...(await compareDatabase(database.pool, mark)) };
}
