/** Errors of the API: thrown where the rule is, shaped here once for REST and tRPC. */
import { STATUS_CODES } from 'node:http';
import { type TRPC_ERROR_CODE_KEY, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { ZodError } from 'zod';
import type { ErrorBody } from '../../contract/resources.ts';
import { DatabaseUnavailableError, databaseError } from '../../platform/database-errors.ts';
import { StorageUnavailableError } from '../../platform/storage-errors.ts';

/** Limits of `details`, so that an invalid body of 16 MiB is not sent back. */
export const MAX_DETAILS = 100;
const MAX_FIELD_CHARACTERS = 200;

/** The dotted path of a field; names and path are cut to bound their memory. */
export function fieldOf(names: readonly string[]): string {
  const path = names.map((name) => name.slice(0, MAX_FIELD_CHARACTERS)).join('.');
  return path.slice(0, MAX_FIELD_CHARACTERS).toWellFormed() || 'body';
}

export interface ErrorDetail {
  /** Dotted path of the field: `initial_data.data`. */
  field: string;
  message: string;
}

/** An expected error: a status, a message for people, and the fields that it is about. */
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

/** 401 with WWW-Authenticate (RFC 6750). */
export function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'Send a valid API key as "Authorization: Bearer <API_KEY>".', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** 404, the same for a resource that does not exist and one of another owner. */
export function notFound(kind: 'space' | 'collection' | 'source' | 'artifact' | 'key' | 'file' | 'postback'): AppError {
  return new AppError('NOT_FOUND', `There is no such ${kind}.`);
}

/** 405 with Allow (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, allow: string): AppError {
  return new AppError('METHOD_NOT_SUPPORTED', `${method} is not allowed here; use ${allow}.`, { headers: { allow } });
}

/** 499: the client disconnected before the response. No client reads it, and it is not an error of the service. */
export function clientGone(): AppError {
  return new AppError('CLIENT_CLOSED_REQUEST', 'The connection was closed before the response.');
}

/** 400 with these details. */
export function badRequest(details: ErrorDetail[]): AppError {
  return new AppError('BAD_REQUEST', 'The request is not valid.', { details });
}

/** 400 on one field. */
export function invalid(field: string, message: string): AppError {
  return badRequest([{ field, message }]);
}

/** The issues of a schema as details; an unknown key is reported by its own path, not that of its object. */
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

/** An error as it is sent, without internal information. */
export interface ErrorResponse {
  status: number;
  body: ErrorBody;
  headers: Readonly<Record<string, string>>;
}

/** An error response in the shape of the contract. */
export function errorResponse(
  status: number,
  message: string,
  extra: { details?: ErrorDetail[]; requestId?: string; headers?: Readonly<Record<string, string>> } = {},
): ErrorResponse {
  const body: ErrorBody = { error: STATUS_CODES[status] ?? 'Error', message, code: status };
  if (extra.details) {
    body.details = extra.details
      .slice(0, MAX_DETAILS)
      .map((detail) => ({ ...detail, field: detail.field.slice(0, MAX_FIELD_CHARACTERS).toWellFormed() }));
  }
  if (extra.requestId !== undefined) body.requestId = extra.requestId;
  return { status, body, headers: extra.headers ?? {} };
}

/** Responses to Fastify's own errors, by error code. */
const fastifyErrors: Record<string, { status: number; message: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, message: 'The body must be sent as application/json in UTF-8.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, message: 'The body is too large.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, message: 'The length of the body differs from Content-Length.' },
  FST_ERR_BAD_URL: { status: 400, message: 'The path is not a valid URL.' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, message: 'The path is too long.' },
};

/** The response to an error of tRPC itself, without its internals; null for an internal error. */
function fromTrpc(error: TRPCError): ErrorResponse | null {
  if (error.cause instanceof ZodError && error.code === 'BAD_REQUEST') {
    return errorResponse(400, 'The request is not valid.', { details: detailsOf(error.cause) });
  }
  if (error.code === 'INTERNAL_SERVER_ERROR') return null;
  if (error.cause instanceof SyntaxError) {
    return errorResponse(400, 'The request is not valid.', {
      details: [{ field: 'input', message: 'Not valid JSON.' }],
    });
  }
  if (error.code === 'NOT_FOUND') return errorResponse(404, 'There is no such procedure.');
  if (error.code === 'METHOD_NOT_SUPPORTED') {
    return errorResponse(405, 'Queries are called with GET, mutations with POST.');
  }
  return errorResponse(getHTTPStatusCodeFromError(error), error.message);
}

/** Any thrown value as an error response. Unexpected errors become a 5xx with a fixed message and the request's id. */
export function toErrorResponse(error: unknown, requestId: string): ErrorResponse {
  if (error instanceof AppError) {
    const status = getHTTPStatusCodeFromError(error);
    return errorResponse(status, error.message, {
      headers: error.headers,
      ...(status >= 500 ? { requestId } : {}),
      ...(error.details ? { details: error.details } : {}),
    });
  }
  if (error instanceof TRPCError) {
    const known = fromTrpc(error);
    if (known !== null) return known;
    if (error.cause !== undefined) return toErrorResponse(error.cause, requestId);
  }
  const retryLater = { headers: { 'retry-after': '5' }, requestId };
  if (error instanceof StorageUnavailableError) {
    return errorResponse(503, 'The storage is unavailable. Try again in a moment.', retryLater);
  }
  const dbError = databaseError(error);
  // SQLSTATE class 42: the statement does not match the schema, so a retry would fail, too.
  if (dbError instanceof DatabaseUnavailableError && !/^42/.test(codeOf(dbError.cause))) {
    return errorResponse(503, 'The database is unavailable. Try again in a moment.', retryLater);
  }
  const framework = fastifyErrors[codeOf(error)];
  if (framework !== undefined) {
    const { status, message } = framework;
    if (status !== 400) return errorResponse(status, message);
    return errorResponse(status, 'The request is not valid.', { details: [{ field: 'request', message }] });
  }
  const message = 'Something went wrong on our side. Please quote the requestId when you ask about it.';
  return errorResponse(500, message, { requestId });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
