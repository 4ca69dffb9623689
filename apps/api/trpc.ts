/** The foundation of all procedures: their context, who may call them, and how their errors look to tRPC clients. */
import { initTRPC } from '@trpc/server';
import { ZodError } from 'zod';
import type { Scope } from '../../contract/statuses.ts';
import type { Caller } from './admission/caller.ts';
import type { ApiDependencies, RequestContext } from './context.ts';
import { AppError, badRequest, detailsOf, type ErrorDetail, toRefusal, unauthorized } from './errors.ts';
import { HEARTBEAT_MS } from './live/event-stream.ts';
import { storableText, unstorable } from './unstorable.ts';
import { judgeKeyAgain } from './write.ts';

/** Bodies up to 1 MiB; those that hold a source's text up to 16 MiB, since JSON escapes can triple it. */
export const BODY_LIMIT = 1024 * 1024;
export const CONTENT_BODY_LIMIT = 16 * 1024 * 1024;

export interface ProcedureMeta {
  rest: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** Below the prefix, with parameters in braces that are fields of the input: `/sources/{sourceId}`. */
    path: `/${string}`;
    /** Of a success; 200 where none is given. */
    status?: 200 | 201 | 202 | 204;
    /** `data` wraps the result as `{data}` (default); `bare` sends it as it is. */
    envelope?: 'data' | 'bare';
    /** One text of the result, sent alone as this media type to whoever prefers that to JSON (Accept). */
    alternative?: { mediaType: string; field: string };
  };
  /** What it does, in one line for the documentation. */
  summary: string;
  /** More for the documentation, where one line is not enough. */
  description?: string;
  /** When it answers 409, for the documentation. */
  conflict?: string;
  /** Successes with another status than `rest.status`, and when each is the answer, for the documentation. */
  alsoAnswers?: Readonly<Record<number, string>>;
  /** Whether it obeys Idempotency-Key though it is no POST. */
  takesIdempotencyKey?: boolean;
  /** A body as people would send it, for the documentation. */
  example?: Readonly<Record<string, unknown>>;
  /** The scope that a key needs; `write` for mutations and `read` for all else, where none is given. */
  scope?: Scope;
  /**
   * What is wrong with an input by rules that its schema cannot hold, as far as its form lets them be judged. Asked where
   * something else is wrong already; the procedure itself judges the same for an input that its schema takes.
   */
  alsoWrong?: (
    input: unknown,
    ctx: ApiDependencies & { caller: Caller | null },
  ) => ErrorDetail[] | Promise<ErrorDetail[]>;
  /** Bytes of a body; BODY_LIMIT where none is given. */
  bodyLimit?: number;
}

const t = initTRPC
  .context<RequestContext>()
  .meta<ProcedureMeta>()
  .create({
    isDev: false,
    sse: {
      ping: { enabled: true, intervalMs: HEARTBEAT_MS },
      client: { reconnectAfterInactivityMs: 3 * HEARTBEAT_MS },
    },
    errorFormatter({ shape, error, ctx }) {
      const { body, status } = toRefusal(error, ctx?.requestId ?? '');
      return { ...shape, message: body.message, data: { ...shape.data, httpStatus: status, error: body } };
    },
  });

export const router = t.router;

const authenticated = t.middleware(async ({ ctx, meta, type, next }) => {
  const { caller } = ctx;
  if (caller === null) throw unauthorized();
  if (meta === undefined) throw new Error('Every procedure says where it is served.');
  const scope = meta.scope ?? (type === 'mutation' ? 'write' : 'read');
  // `write` opens everything.
  if (!caller.scopes.includes(scope) && !caller.scopes.includes('write')) {
    throw new AppError('FORBIDDEN', `This API key lacks the scope "${scope}".`);
  }
  if (type === 'mutation') await judgeKeyAgain({ ...ctx, caller });
  return next({ ctx: { caller, operation: meta } });
});

/**
 * No input at all counts as `{}`. Everything that is wrong with an input is said at once: fields in the wrong place, text
 * that cannot be kept, what the schema refuses, and what the procedure itself judges by its form.
 */
const judged = t.middleware(async ({ ctx, path, meta, next, getRawInput }) => {
  const input = (await getRawInput()) ?? {};
  const details = [...ctx.misplaced, ...unstorable(input)];
  if (details.length === 0) {
    const result = await next({ getRawInput: async () => input });
    const problem = result.ok || result.error.code !== 'BAD_REQUEST' ? undefined : result.error.cause;
    if (!(problem instanceof ZodError)) return result;
    details.push(...detailsOf(problem));
  } else {
    const { error } = ctx.inputs.get(path)?.safeParse(input) ?? {};
    if (error) details.push(...detailsOf(error));
  }
  details.push(...((await meta?.alsoWrong?.(input, ctx)) ?? []));
  throw badRequest(firstOfEachField(details));
});

function firstOfEachField(details: ErrorDetail[]): ErrorDetail[] {
  const first = new Map<string, ErrorDetail>();
  for (const detail of details) {
    const field = storableText(detail.field);
    if (!first.has(field)) first.set(field, detail);
  }
  return [...first.values()];
}

/** A procedure for callers with a key; the base of every one. */
export const procedure = t.procedure.use(authenticated).use(judged);

/** The context inside a procedure. */
export type CallContext = RequestContext & { caller: Caller; operation: ProcedureMeta };
