/** The first answers to requests with an Idempotency-Key. */
import { query, queryOne, type Session, statement } from './sql.ts';

/** What makes a request the same: its owner, the operation with its path parameters, and the key. */
export interface IdempotentRequest {
  ownerId: string;
  operation: string;
  key: string;
}

export interface StoredResponse {
  requestHash: Buffer;
  status: number;
  /** JSON. */
  answer: string;
}

const tryLock = statement<{ locked: boolean }>(
  'lock-idempotency-key',
  "select pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', $1::text, $2::text, $3::text), 0)) as locked",
);

/** Makes this transaction the only one that works on the request. False while another one does. */
export async function lockRequest(session: Session, { ownerId, operation, key }: IdempotentRequest): Promise<boolean> {
  return (await queryOne(session, tryLock, [ownerId, operation, key]))?.locked === true;
}

const find = statement<StoredResponse>(
  'find-idempotent-answer',
  `select request_hash as "requestHash", status, answer from idempotency_keys
   where owner_id = $1 and operation = $2 and key = $3 and created_at > now() - interval '24 hours' and answer <> ''`,
);

/** The answer of the last 24 h to this request, or null. */
export async function findResponse(
  session: Session,
  { ownerId, operation, key }: IdempotentRequest,
): Promise<StoredResponse | null> {
  return queryOne(session, find, [ownerId, operation, key]);
}

const claim = statement<{ key: string }>(
  'claim-idempotency-key',
  `insert into idempotency_keys (owner_id, operation, key, request_hash, status, answer)
   values ($1, $2, $3, $4, 202, '')
   on conflict (owner_id, operation, key) do update
     set request_hash = excluded.request_hash, status = 202, answer = '', created_at = now()
     where idempotency_keys.created_at <
       now() - case idempotency_keys.answer when '' then interval '1 minute' else interval '24 hours' end
   returning key`,
);

/**
 * Makes the caller the only one that works on the request, outside any transaction, until it keeps the answer. False
 * where there is an answer already, or another one has begun within the last minute; what takes longer has died.
 */
export async function claimRequest(
  session: Session,
  { ownerId, operation, key }: IdempotentRequest,
  requestHash: Buffer,
): Promise<boolean> {
  return (await queryOne(session, claim, [ownerId, operation, key, requestHash])) !== null;
}

const keep = statement(
  'keep-idempotent-answer',
  `insert into idempotency_keys (owner_id, operation, key, request_hash, status, answer)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (owner_id, operation, key) do update
     set request_hash = excluded.request_hash, status = excluded.status, answer = excluded.answer, created_at = now()`,
);

/** Keeps an answer, in the transaction of what it answers for. */
export async function storeResponse(
  session: Session,
  { ownerId, operation, key }: IdempotentRequest,
  { requestHash, status, answer }: StoredResponse,
): Promise<void> {
  await query(session, keep, [ownerId, operation, key, requestHash, status, answer]);
}

const sweep = statement<{ key: string }>(
  'sweep-idempotency-keys',
  `delete from idempotency_keys where (owner_id, operation, key) in (
     select owner_id, operation, key from idempotency_keys where created_at < now() - interval '24 hours' limit $1)
   returning key`,
);

/** Removes up to `limit` answers that are older than 24 h; returns how many. */
export async function removeOldResponses(session: Session, limit: number): Promise<number> {
  return (await query(session, sweep, [limit])).length;
}
