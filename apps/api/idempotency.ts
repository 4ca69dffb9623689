/**
 * Idempotency-Key: a repeated request with the same key within 24 h gets the stored response. The response is stored in
 * the transaction of the write, so that a crash after the commit does not lose it.
 */
import { createHash } from 'node:crypto';
import {
  claimRequest,
  findResponse,
  type IdempotentRequest,
  lockRequest,
  type StoredResponse,
  storeResponse,
} from '../../db/idempotency.ts';
import type { Transaction } from '../../db/sql.ts';
import { AppError, invalid } from './errors.ts';
import type { CallContext } from './trpc.ts';
import { writeWithKey } from './write.ts';

const HEADER = 'Idempotency-Key';

/** Limit of a stored response as JSON in UTF-8: enough for 100 sources as in lists, unless their options are long. */
export const MAX_STORED_BYTES = 1024 * 1024;

/** The key in a request's header, or null. @throws AppError 400 unless it has 1 to 255 printable characters */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(header)) {
    throw invalid(HEADER, 'Must have 1 to 255 printable ASCII characters.');
  }
  return header;
}

interface Call<Input> {
  ctx: CallContext;
  input: Input;
}

/** Runs the writes of a procedure in one transaction and returns its result; the result is read in it, too. */
type Write<Output> = (work: (session: Transaction) => Promise<Output>) => Promise<Output>;

/**
 * Claims the key for work outside the transaction: other requests with the key are 409 until this one has written, or
 * for 1 min if it fails.
 */
type Claim = () => Promise<void>;

interface StoredForm<Input, Output> {
  /** The result as it is stored: without secrets that are shown only once. */
  toStored?: (result: Output) => Output;
  /** The stored result as it is sent again: with secrets that are read or signed anew. */
  fromStored?: (call: Call<Input>, stored: Output) => Promise<Output>;
}

/** JSON with sorted keys, so that the order of fields does not change the hash. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** Method, path and path parameters: a key is unique within these. */
function operationOf({ operation }: CallContext, input: object): string {
  const parameters = [...operation.rest.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    String(Object.entries(input).find(([field]) => field === name)?.[1]).toLowerCase(),
  );
  return [operation.rest.method, operation.rest.path, ...parameters].join(' ');
}

/** Rolls back the write of a repeated request. */
class RepeatedRequest extends Error {
  readonly stored: StoredResponse;
  constructor(stored: StoredResponse) {
    super('A response to this request is stored.');
    this.stored = stored;
  }
}

function requestInProgress(): AppError {
  return new AppError('CONFLICT', `The first request with this ${HEADER} is still running.`, {
    headers: { 'retry-after': '1' },
  });
}

/** Returns the response. @throws AppError 400 when it is too large to store; this rolls its transaction back. */
function requireStorable(response: string): string {
  const bytes = Buffer.byteLength(response);
  if (bytes <= MAX_STORED_BYTES) return response;
  const message = `The response has ${bytes} bytes; the limit is ${MAX_STORED_BYTES}. Request less, or omit the key.`;
  throw invalid(HEADER, message);
}

/** Wraps a procedure's resolver with Idempotency-Key handling; the resolver writes by `write` only. */
export function idempotent<Input extends object, Output>(
  resolver: (call: Call<Input> & { write: Write<Output>; claim: Claim }) => Promise<Output>,
  { toStored = (result) => result, fromStored = async (_, stored) => stored }: StoredForm<Input, Output> = {},
): (call: Call<Input>) => Promise<Output> {
  return async ({ ctx, input }) => {
    const { database, idempotencyKey, caller, operation } = ctx;
    if (idempotencyKey === null) {
      const write: Write<Output> = (work) => writeWithKey(ctx, work);
      return resolver({ ctx, input, write, claim: async () => {} });
    }
    const request: IdempotentRequest = {
      ownerId: caller.userId,
      operation: operationOf(ctx, input),
      key: idempotencyKey,
    };
    const requestHash = createHash('sha256').update(canonical(input)).digest();

    const replayStored = async ({ requestHash: storedHash, status, answer }: StoredResponse): Promise<Output> => {
      if (!storedHash.equals(requestHash)) {
        throw new AppError('UNPROCESSABLE_CONTENT', `This ${HEADER} was used for another request.`, {
          details: [{ field: HEADER, message: 'Use a new key for a different request.' }],
        });
      }
      ctx.reply.status = status;
      ctx.reply.headers['idempotent-replayed'] = 'true';
      return fromStored({ ctx, input }, JSON.parse(answer));
    };

    const write: Write<Output> = (work) =>
      writeWithKey(ctx, async (session) => {
        if (!(await lockRequest(session, request))) throw requestInProgress();
        const stored = await findResponse(session, request);
        if (stored !== null) throw new RepeatedRequest(stored);
        const result = await work(session);
        const status = ctx.reply.status ?? operation.rest.status ?? 200;
        const answer = requireStorable(JSON.stringify(toStored(result)));
        await storeResponse(session, request, { requestHash, status, answer });
        return result;
      });

    const claim: Claim = async () => {
      if (await claimRequest(database.pool, request, requestHash)) return;
      const stored = await findResponse(database.pool, request);
      throw stored === null ? requestInProgress() : new RepeatedRequest(stored);
    };

    // First of all: resources that the first request used may be deleted by now.
    const stored = await findResponse(database.pool, request);
    if (stored !== null) return replayStored(stored);
    try {
      return await resolver({ ctx, input, write, claim });
    } catch (error) {
      if (error instanceof RepeatedRequest) return replayStored(error.stored);
      throw error;
    }
  };
}
