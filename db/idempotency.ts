/** Stored responses to requests with an Idempotency-Key. */
import { query, queryOne, type Session, statement } from './sql.ts';

/** The identity of a request: its owner, the operation with its path parameters, and the key. */
export interface IdempotentRequest {
  ownerId: string;
  operation: string;
  key: string;
}

export interface StoredResponse {
  requestHash: Buffer;
  status: number;
  /** The response body as JSON. */
  answer: string;
}

const tryLock = statement<{ locked: boolean }>(
  'lock-idempotency-key',
  "select pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', $1::text, $2::text, $3::text), 0)) as locked",
);

/** Locks the request for this transaction. False while another transaction holds the lock. */
export async function lockRequest(session: Session, { ownerId, operation, key }: IdempotentRequest): Promise<boolean> {
  return (await queryOne(session, tryLock, [ownerId, operation, key]))?.locked === true;
}

const find = statement<StoredResponse>(
  'find-idempotent-answer',
  `select request_hash as "requestHash", status, answer from idempotency_keys
   where owner_id = $1 and operation = $2 and key = $3 and created_at > now() - interval '24 hours' and answer <> ''`,
);

/** The response to this request stored within the last 24 h, or null. */
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
 * Claims the request for the caller, outside any transaction, until it stores the response. False when a response is
 * stored already, or another caller claimed the request within the last minute; an older claim counts as abandoned.
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

/** Stores a response, in the transaction of the change that the request made. */
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

/** Removes up to `limit` responses that are older than 24 h; returns how many. */
export async function removeOldResponses(session: Session, limit: number): Promise<number> {
  return (await query(session, sweep, [limit])).length;
}
