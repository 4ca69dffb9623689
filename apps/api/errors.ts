/** Errors of the API: thrown where the rule is, shaped here once for REST and tRPC. */
import { STATUS_CODES } from 'node:http';
import { type TRPC_ERROR_CODE_KEY, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { ZodError } from 'zod';
import type { ErrorBody } from '../../contract/resources.ts';
import { DatabaseUnavailableError, databaseError } from '../../platform/database-errors.ts';
import { StorageUnavailableError } from '../../platform/storage-errors.ts';

/** So many fields an answer names, with so many characters each: a wrong body of 16 MiB is not sent back. */
export const MAX_DETAILS = 100;
const MAX_FIELD_CHARACTERS = 200;

/** The dotted path of a field; names and paths are cut, so that it takes no more memory than it is worth. */
export function fieldOf(names: readonly string[]): string {
  const path = names.map((name) => name.slice(0, MAX_FIELD_CHARACTERS)).join('.');
  return path.slice(0, MAX_FIELD_CHARACTERS).toWellFormed() || 'body';
}

export interface ErrorDetail {
  /** Dotted path of the field: `initial_data.data`. */
  field: string;
  message: string;
}

/** A refusal with a status, a message for people, and the fields it is about. */
export class AppError extends TRPCError {
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: TRPC_ERROR_CODE_KEY,
    message: string,
    options: { details?: ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super({ code, message, cause: options.cause });
    this.name = 'AppError';
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** 401 as RFC 6750 wants it. */
export function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'Send a valid API key as "Authorization: Bearer <API_KEY>".', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** 404 in the same words for what does not exist and for what belongs to somebody else. */
export function notFound(what: 'space' | 'collection' | 'source' | 'artifact' | 'key' | 'file' | 'postback'): AppError {
  return new AppError('NOT_FOUND', `There is no such ${what}.`);
}

/** 405 as RFC 9110 (15.5.6) wants it. */
export function methodNotAllowed(method: string, allow: string): AppError {
  return new AppError('METHOD_NOT_SUPPORTED', `${method} is not possible here; ${allow} is.`, { headers: { allow } });
}

/** The client has gone before its answer was there: nobody reads this, and nothing is wrong with the service. */
export function clientGone(): AppError {
  return new AppError('CLIENT_CLOSED_REQUEST', 'The connection was closed before the answer.');
}

/** 400 on these fields. */
export function badRequest(details: ErrorDetail[]): AppError {
  return new AppError('BAD_REQUEST', 'The request is not valid.', { details });
}

/** 400 on one field. */
export function invalid(field: string, message: string): AppError {
  return badRequest([{ field, message }]);
}

/** Problems of a schema as details; an unknown key is named itself, not the object that holds it. */
export function detailsOf(error: ZodError): ErrorDetail[] {
  return error.issues.slice(0, MAX_DETAILS).flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys
        .slice(0, MAX_DETAILS)
        .map((key) => ({ field: fieldOf([...path, key]), message: 'Unknown field.' }));
    }
    return [{ field: fieldOf(path), message: issue.message }];
  });
}

/** A failure as answered: what the client may know, and nothing internal. */
export interface Refusal {
  status: number;
  body: ErrorBody;
  headers: Readonly<Record<string, string>>;
}

/** A refusal in the one shape of the contract. */
export function refusal(
  status: number,
  message: string,
  extra: { details?: ErrorDetail[]; requestId?: string; headers?: Readonly<Record<string, string>> } = {},
): Refusal {
  const body: ErrorBody = { error: STATUS_CODES[status] ?? 'Error', message, code: status };
  if (extra.details) {
    body.details = extra.details
      .slice(0, MAX_DETAILS)
      .map((detail) => ({ ...detail, field: detail.field.slice(0, MAX_FIELD_CHARACTERS).toWellFormed() }));
  }
  if (extra.requestId !== undefined) body.requestId = extra.requestId;
  return { status, body, headers: extra.headers ?? {} };
}

/** Plain words for the refusals that Fastify makes itself, by its error code. */
const frameworkRefusals: Record<string, { status: number; message: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, message: 'The body must be sent as application/json in UTF-8.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, message: 'The body is too large.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, message: 'The body is not as long as Content-Length says.' },
  FST_ERR_BAD_URL: { status: 400, message: 'The path is not a valid URL.' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, message: 'The path is too long.' },
};

/** What tRPC refuses by itself, in words that show nothing of its insides. */
function fromTrpc(error: TRPCError): Refusal | null {
  if (error.cause instanceof ZodError && error.code === 'BAD_REQUEST') {
    return refusal(400, 'The request is not valid.', { details: detailsOf(error.cause) });
  }
  if (error.code === 'INTERNAL_SERVER_ERROR') return null;
  if (error.cause instanceof SyntaxError) {
    return refusal(400, 'The request is not valid.', { details: [{ field: 'input', message: 'Not valid JSON.' }] });
  }
  if (error.code === 'NOT_FOUND') return refusal(404, 'There is no such procedure.');
  if (error.code === 'METHOD_NOT_SUPPORTED') return refusal(405, 'Queries are called with GET, mutations with POST.');
  return refusal(getHTTPStatusCodeFromError(error), error.message);
}

/** Anything thrown on the way, as the one error shape. A 5xx shows no message of its own, only the request's id. */
export function toRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof AppError) {
    const status = getHTTPStatusCodeFromError(error);
    return refusal(status, error.message, {
      headers: error.headers,
      ...(status >= 500 ? { requestId } : {}),
      ...(error.details ? { details: error.details } : {}),
    });
  }
  if (error instanceof TRPCError) {
    const known = fromTrpc(error);
    if (known !== null) return known;
    if (error.cause !== undefined) return toRefusal(error.cause, requestId);
  }
  const later = { headers: { 'retry-after': '5' }, requestId };
  if (error instanceof StorageUnavailableError) {
    return refusal(503, 'The storage is out of reach. Try again in a moment.', later);
  }
  const ofDatabase = databaseError(error);
  // Class 42: a statement does not fit the schema, which no repetition by the client will change.
  if (ofDatabase instanceof DatabaseUnavailableError && !/^42/.test(codeOf(ofDatabase.cause))) {
    return refusal(503, 'The database is out of reach. Try again in a moment.', later);
  }
  const framework = frameworkRefusals[codeOf(error)];
  if (framework !== undefined) {
    const { status, message } = framework;
    if (status !== 400) return refusal(status, message);
    return refusal(status, 'The request is not valid.', { details: [{ field: 'request', message }] });
  }
  const message = 'Something went wrong on our side. Please quote the requestId when you ask about it.';
  return refusal(500, message, { requestId });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
