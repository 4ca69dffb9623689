/**
 * Idempotency-Key: the same key and request within 24 h get the first answer again. The answer is kept in the
 * transaction of the write, so that a crash between the write and the answer changes nothing.
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
import type { Session } from '../../db/sql.ts';
import { AppError, invalid } from './errors.ts';
import type { CallContext } from './trpc.ts';
import { writeWithKey } from './write.ts';

const HEADER = 'Idempotency-Key';

/** Of an answer as JSON, in UTF-8: a hundred sources as lists show them, unless their options are long. */
export const MAX_KEPT_BYTES = 1024 * 1024;

/** The key in a request's header, or null. @throws AppError 400 unless it has 1 to 255 printable characters. */
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

/** Does what the procedure writes, in one transaction, and answers; everything that the answer needs is read in there. */
type Write<Output> = (work: (session: Session) => Promise<Output>) => Promise<Output>;

/**
 * Lets no other request with the same key past here until this one has written: for what is done outside the
 * transaction. What fails after it may be sent again in a minute.
 */
type Claim = () => Promise<void>;

interface Secrets<Input, Output> {
  /** The answer as it is kept: without what must be shown only once. */
  keep?: (answer: Output) => Output;
  /** The kept answer as it is given again: with what has to be made anew. */
  replay?: (call: Call<Input>, kept: Output) => Promise<Output>;
}

/** JSON with sorted names, so that the order of a body's fields makes no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** The path parameters of the operation among the fields of its input. */
function operationOf({ operation }: CallContext, input: object): string {
  const parameters = [...operation.rest.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    String(Object.entries(input).find(([field]) => field === name)?.[1]).toLowerCase(),
  );
  return [operation.rest.method, operation.rest.path, ...parameters].join(' ');
}

/** Ends the transaction of a write that turns out to be a repetition. */
class Repeated extends Error {
  readonly kept: StoredResponse;
  constructor(kept: StoredResponse) {
    super('This request was answered before.');
    this.kept = kept;
  }
}

function stillRunning(): AppError {
  return new AppError('CONFLICT', `The first request with this ${HEADER} is still running.`, {
    headers: { 'retry-after': '1' },
  });
}

/** @throws AppError 400 where so much is not kept: what was written for it is undone. */
function keepable(answer: string): string {
  const bytes = Buffer.byteLength(answer);
  if (bytes <= MAX_KEPT_BYTES) return answer;
  const message = `The answer would have ${bytes} bytes, and at most ${MAX_KEPT_BYTES} are kept. Ask for less, or send no key.`;
  throw invalid(HEADER, message);
}

/** Makes a procedure's resolver obey the Idempotency-Key; `write` is how it writes. */
export function idempotent<Input extends object, Output>(
  resolver: (call: Call<Input> & { write: Write<Output>; claim: Claim }) => Promise<Output>,
  { keep = (answer) => answer, replay = async (_, kept) => kept }: Secrets<Input, Output> = {},
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

    const answerAgain = async ({ requestHash: first, status, answer }: StoredResponse): Promise<Output> => {
      if (!first.equals(requestHash)) {
        throw new AppError('UNPROCESSABLE_CONTENT', `This ${HEADER} was used for another request.`, {
          details: [{ field: HEADER, message: 'Send another key with another request.' }],
        });
      }
      ctx.reply.status = status;
      ctx.reply.headers['idempotent-replayed'] = 'true';
      return replay({ ctx, input }, JSON.parse(answer));
    };

    const write: Write<Output> = (work) =>
      writeWithKey(ctx, async (session) => {
        if (!(await lockRequest(session, request))) throw stillRunning();
        const kept = await findResponse(session, request);
        if (kept !== null) throw new Repeated(kept);
        const answer = await work(session);
        const status = ctx.reply.status ?? operation.rest.status ?? 200;
        await storeResponse(session, request, { requestHash, status, answer: keepable(JSON.stringify(keep(answer))) });
        return answer;
      });

    const claim: Claim = async () => {
      if (await claimRequest(database.pool, request, requestHash)) return;
      const kept = await findResponse(database.pool, request);
      throw kept === null ? stillRunning() : new Repeated(kept);
    };

    // Before anything else is looked at: what the first request used may be gone by now.
    const kept = await findResponse(database.pool, request);
    if (kept !== null) return answerAgain(kept);
    try {
      return await resolver({ ctx, input, write, claim });
    } catch (error) {
      if (error instanceof Repeated) return answerAgain(error.kept);
      throw error;
    }
  };
}
