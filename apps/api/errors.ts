/** Errors of the API: thrown where the rule is, shaped here once for REST and tRPC. */
import { STATUS_CODES } from 'node:http';
import { TRPCError, type TRPC_ERROR_CODE_KEY } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { ZodError } from 'zod';
import type { ErrorBody } from '../../contract/resources.ts';
import { StorageUnavailableError } from '../../platform/storage-errors.ts';

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
export function notFound(what: 'space' | 'collection' | 'source' | 'artifact' | 'key' | 'file'): AppError {
  return new AppError('NOT_FOUND', `There is no such ${what}.`);
}

/** 400 on one field. */
export function invalid(field: string, message: string): AppError {
  return new AppError('BAD_REQUEST', 'The request is not valid.', { details: [{ field, message }] });
}

/** Problems of a schema as details; an unknown key is named itself, not the object that holds it. */
export function detailsOf(error: ZodError): ErrorDetail[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: 'Unknown field.' }));
    }
    const message = issue.code === 'invalid_type' && issue.input === undefined ? 'Required.' : issue.message;
    return [{ field: path.join('.') || 'body', message }];
  });
}

/** A failure as answered: what the client may know, and nothing internal. */
export interface Refusal {
  status: number;
  body: ErrorBody;
  headers: Readonly<Record<string, string>>;
}

function refusal(
  status: number,
  message: string,
  extra: { details?: ErrorDetail[]; requestId?: string; headers?: Readonly<Record<string, string>> } = {},
): Refusal {
  const body: ErrorBody = { error: STATUS_CODES[status] ?? 'Error', message, code: status };
  if (extra.details) body.details = extra.details;
  if (extra.requestId !== undefined) body.requestId = extra.requestId;
  return { status, body, headers: extra.headers ?? {} };
}

/** Plain words for the refusals that Fastify makes itself, by its error code. */
const frameworkMessages: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be sent as application/json.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_BAD_URL: 'The path is not a valid URL.',
};

/** Anything thrown on the way, as the one error shape. A 5xx shows no message of its own, only the request's id. */
export function toRefusal(error: unknown, requestId: string): Refusal {
  if (error instanceof AppError) {
    return refusal(getHTTPStatusCodeFromError(error), error.message, {
      headers: error.headers,
      ...(error.details ? { details: error.details } : {}),
    });
  }
  if (error instanceof TRPCError) {
    if (error.cause instanceof ZodError && error.code === 'BAD_REQUEST') {
      return refusal(400, 'The request is not valid.', { details: detailsOf(error.cause) });
    }
    if (error.code !== 'INTERNAL_SERVER_ERROR') return refusal(getHTTPStatusCodeFromError(error), error.message);
    if (error.cause !== undefined) return toRefusal(error.cause, requestId);
  }
  if (error instanceof StorageUnavailableError) {
    return refusal(503, 'The storage is out of reach. Try again in a moment.', { headers: { 'retry-after': '5' }, requestId });
  }
  if (isConnectionFailure(error)) {
    return refusal(503, 'The database is out of reach. Try again in a moment.', { headers: { 'retry-after': '5' }, requestId });
  }
  const { code, statusCode } = fastifyErrorOf(error);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const message = frameworkMessages[code ?? ''] ?? 'The request is not valid.';
    const details = statusCode === 400 && code?.startsWith('FST_ERR_CTP') ? [{ field: 'body', message }] : undefined;
    return refusal(statusCode, message, details ? { details } : {});
  }
  return refusal(500, 'Something went wrong on our side. Please quote the requestId when you ask about it.', { requestId });
}

function fastifyErrorOf(error: unknown): { code?: string; statusCode?: number } {
  if (!(error instanceof Error)) return {};
  return {
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...('statusCode' in error && typeof error.statusCode === 'number' ? { statusCode: error.statusCode } : {}),
  };
}

/** The database cannot be reached, or is starting or stopping (PostgreSQL's classes 08 and 57P). */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isConnectionFailure)) return true;
  if (error.cause !== undefined && isConnectionFailure(error.cause)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08...|57P0[123]|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT)$/.test(code)) return true;
  return /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message);
}
