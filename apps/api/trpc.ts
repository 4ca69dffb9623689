/** The base of all procedures: context, authorization, input validation, and the shape of errors for tRPC clients. */
import { initTRPC } from '@trpc/server';
import { ZodError } from 'zod';
import type { Scope } from '../../contract/statuses.ts';
import type { Caller } from './admission/caller.ts';
import type { ApiDependencies, RequestContext } from './context.ts';
import { AppError, badRequest, detailsOf, type ErrorDetail, toErrorResponse, unauthorized } from './errors.ts';
import { HEARTBEAT_MS } from './live/event-stream.ts';
import { storableText, unstorable } from './unstorable.ts';
import { recheckKey } from './write.ts';

/** Limits of a body in bytes: 1 MiB, or 16 MiB where it contains a source's text, which JSON escapes can triple. */
export const BODY_LIMIT = 1024 * 1024;
export const CONTENT_BODY_LIMIT = 16 * 1024 * 1024;

export interface ProcedureMeta {
  rest: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** Below the prefix, with parameters in braces that are fields of the input: `/sources/{sourceId}`. */
    path: `/${string}`;
    /** Status of a success; default 200. */
    status?: 200 | 201 | 202 | 204;
    /** `data` wraps the result as `{data}` (default); `bare` sends it as it is. */
    envelope?: 'data' | 'bare';
    /** A text field of the result, sent alone as this media type to clients that prefer it to JSON (Accept). */
    alternative?: { mediaType: string; field: string };
  };
  /** One line for the documentation. */
  summary: string;
  /** Further text for the documentation. */
  description?: string;
  /** Reason of a 409, for the documentation. */
  conflict?: string;
  /** Other success statuses than `rest.status`, and the reason of each, for the documentation. */
  otherSuccesses?: Readonly<Record<number, string>>;
  /** Whether it supports Idempotency-Key although it is not a POST. */
  takesIdempotencyKey?: boolean;
  /** An example body, for the documentation. */
  example?: Readonly<Record<string, unknown>>;
  /** The scope that a key needs; default `write` for mutations, `read` otherwise. */
  scope?: Scope;
  /**
   * Problems of an input beyond its schema, as far as they can be checked in a malformed input. Called only for an
   * input with other problems; the procedure itself checks the same rules for an input that fits its schema.
   */
  alsoWrong?: (
    input: unknown,
    ctx: ApiDependencies & { caller: Caller | null },
  ) => ErrorDetail[] | Promise<ErrorDetail[]>;
  /** Limit of the body in bytes; default BODY_LIMIT. */
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
      const { body, status } = toErrorResponse(error, ctx?.requestId ?? '');
      return { ...shape, message: body.message, data: { ...shape.data, httpStatus: status, error: body } };
    },
  });

export const router = t.router;

const authenticated = t.middleware(async ({ ctx, meta, type, next }) => {
  const { caller } = ctx;
  if (caller === null) throw unauthorized();
  if (meta === undefined) throw new Error('A procedure has no meta.');
  const scope = meta.scope ?? (type === 'mutation' ? 'write' : 'read');
  // `write` includes every other scope.
  if (!caller.scopes.includes(scope) && !caller.scopes.includes('write')) {
    throw new AppError('FORBIDDEN', `This API key lacks the scope "${scope}".`);
  }
  if (type === 'mutation') await recheckKey({ ...ctx, caller });
  return next({ ctx: { caller, operation: meta } });
});

/**
 * A missing input counts as `{}`. All problems of an input are reported in one error: misplaced fields, text that
 * cannot be stored, issues of the schema, and `alsoWrong`.
 */
const validated = t.middleware(async ({ ctx, path, meta, next, getRawInput }) => {
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

/** The base of every procedure: requires a key with its scope, and a valid input. */
export const procedure = t.procedure.use(authenticated).use(validated);

/** The context inside a procedure. */
export type CallContext = RequestContext & { caller: Caller; operation: ProcedureMeta };
