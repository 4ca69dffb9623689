/** The foundation of all procedures: their context, who may call them, and how their errors look to tRPC clients. */
import { initTRPC } from '@trpc/server';
import type { Scope } from '../../contract/statuses.ts';
import type { Caller, RequestContext } from './context.ts';
import { AppError, type ErrorDetail, toRefusal, unauthorized } from './errors.ts';

export interface ProcedureMeta {
  rest: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** Below the prefix, with parameters in braces that are fields of the input: `/sources/{sourceId}`. */
    path: `/${string}`;
    /** Of a success; 200 where none is given. */
    status?: 200 | 201 | 202 | 204;
    /** `data` wraps the result as `{data}` (default); `bare` sends it as it is. */
    envelope?: 'data' | 'bare';
  };
  /** The scope that a key needs; `read` for queries and `write` for mutations where none is given. */
  scope?: Scope;
}

const t = initTRPC
  .context<RequestContext>()
  .meta<ProcedureMeta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error, ctx }) {
      const { body, status } = toRefusal(error, ctx?.requestId ?? '');
      return { ...shape, message: body.message, data: { ...shape.data, httpStatus: status, error: body } };
    },
  });

export const router = t.router;

/** PostgreSQL cannot store U+0000 and UTF-8 has no lone surrogates: such text is refused by name, anywhere. */
function unstorable(value: unknown, path: string[], found: ErrorDetail[]): ErrorDetail[] {
  if (typeof value === 'string') {
    if (value.includes('\0')) found.push({ field: path.join('.'), message: 'Must not contain U+0000.' });
    else if (!value.isWellFormed()) found.push({ field: path.join('.'), message: 'Must not contain lone surrogates.' });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) unstorable(item, [...path, String(index)], found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const name = key.toWellFormed().replaceAll('\0', '\uFFFD');
      if (name !== key) found.push({ field: [...path, name].join('.'), message: 'Field names must be well-formed text.' });
      unstorable(item, [...path, name], found);
    }
  }
  return found;
}

const authenticated = t.middleware(async ({ ctx, meta, type, next, getRawInput }) => {
  const { caller } = ctx;
  if (caller === null) throw unauthorized();
  const scope = meta?.scope ?? (type === 'query' ? 'read' : 'write');
  // `write` opens everything.
  if (!caller.scopes.includes(scope) && !caller.scopes.includes('write')) {
    throw new AppError('FORBIDDEN', `This API key lacks the scope "${scope}".`);
  }
  const details = unstorable(await getRawInput(), [], []);
  if (details.length > 0) throw new AppError('BAD_REQUEST', 'The request is not valid.', { details });
  return next({ ctx: { caller } });
});

/** A procedure for callers with a key; the base of every one. */
export const procedure = t.procedure.use(authenticated);

/** The context inside a procedure. */
export type CallContext = RequestContext & { caller: Caller };
