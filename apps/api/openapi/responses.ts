/** The responses of an operation, by rule: its successes, and the errors that its method and path make possible. */
import { STATUS_CODES } from 'node:http';
import type { z } from 'zod';
import { errorSchema } from '../../../contract/resources.ts';
import { type RestOperation, takesBody } from '../http/rest.ts';
import type { SchemaComponents } from './schemas.ts';
import type { Header, JsonSchema, Reference, Response } from './types.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

export const headers = {
  'X-Request-Id': { description: 'Id of this request, also in the logs of the service.', required: true, schema: text },
  'RateLimit-Limit': { description: 'Requests allowed to the owner in a window of 60 s.', schema: count },
  'RateLimit-Remaining': { description: 'Requests remaining in this window.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next window.', schema: count },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: count },
  'WWW-Authenticate': {
    description: 'The required authentication scheme (RFC 6750).',
    required: true,
    schema: { const: 'Bearer' },
  },
  Location: {
    description: 'The resource that the response refers to.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotent-Replayed': {
    description: '`true` in the stored response to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
} satisfies Record<string, Header>;
type HeaderName = keyof typeof headers;

function referencesTo(names: HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const limits: HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const everywhere: HeaderName[] = ['X-Request-Id', ...limits];

interface ErrorRule {
  status: number;
  description: string;
  message: string;
  headers?: HeaderName[];
  details?: { field: string; message: string }[];
}

/** Error responses that are the same for every operation; 409 depends on the operation. */
const errorRules: ErrorRule[] = [
  {
    status: 400,
    description: 'Something in the request is not valid; `details` names the fields.',
    message: 'The request is not valid.',
    details: [{ field: 'limit', message: 'Must be a number from 1 to 100.' }],
  },
  {
    status: 401,
    description: 'The API key is missing or not valid.',
    message: 'Send a valid API key as "Authorization: Bearer <API_KEY>".',
    headers: [...everywhere, 'WWW-Authenticate'],
  },
  {
    status: 403,
    description: 'The API key lacks the scope `write`.',
    message: 'This API key lacks the scope "write".',
  },
  {
    status: 404,
    description: 'The resource does not exist, or belongs to another owner.',
    message: 'There is no such source.',
  },
  {
    status: 408,
    description: 'The request did not arrive in time.',
    message: 'The request did not arrive in time.',
    headers: ['X-Request-Id'],
  },
  { status: 413, description: 'The body is too large.', message: 'The body is too large.' },
  {
    status: 415,
    description: 'The body is not sent as application/json in UTF-8.',
    message: 'The body must be sent as application/json in UTF-8.',
  },
  {
    status: 422,
    description: 'This Idempotency-Key was used for another request.',
    message: 'This Idempotency-Key was used for another request.',
    details: [{ field: 'Idempotency-Key', message: 'Use a new key for a different request.' }],
  },
  {
    status: 429,
    description: 'Too many requests: wait for Retry-After.',
    message: 'Too many requests. Try again in 12 seconds.',
    headers: [...everywhere, 'Retry-After'],
  },
  {
    status: 500,
    description: 'Internal error: quote `requestId` when you ask about it.',
    message: 'Something went wrong on our side. Please quote the requestId when you ask about it.',
  },
  {
    status: 503,
    description: 'A dependency of the service is unavailable, or too many requests are in progress.',
    message: 'The database is unavailable. Try again in a moment.',
    headers: [...everywhere, 'Retry-After'],
  },
];

/** `NotFound` for 404: the name of the response under `components`. */
function componentName(status: number): string {
  return (STATUS_CODES[status] ?? String(status)).replaceAll(/[^A-Za-z]/g, '');
}

function errorExample({
  status,
  message,
  details,
}: Pick<ErrorRule, 'status' | 'message' | 'details'>): z.infer<typeof errorSchema> {
  return {
    error: STATUS_CODES[status] ?? 'Error',
    message,
    code: status,
    ...(details ? { details } : {}),
    ...(status >= 500 ? { requestId: '5b0c9f3e-52a1-4a0b-9f6d-7a8d0c1e2f34' } : {}),
  };
}

/** A response in the error shape. */
function errorResponse(components: SchemaComponents, rule: ErrorRule): Response {
  return {
    description: rule.description,
    headers: referencesTo(rule.headers ?? everywhere),
    content: {
      'application/json': { schema: components.translate(errorSchema, 'output'), example: errorExample(rule) },
    },
  };
}

/** The error responses under `components`, by name. */
export function errorComponents(components: SchemaComponents): Record<string, Response> {
  return Object.fromEntries(errorRules.map((rule) => [componentName(rule.status), errorResponse(components, rule)]));
}

export function errorReference(status: number): Reference {
  return { $ref: `#/components/responses/${componentName(status)}` };
}

/** Whether an operation takes an Idempotency-Key: every POST, and others by their meta. */
export function takesIdempotencyKey({ meta }: RestOperation): boolean {
  return meta.rest.method === 'POST' || meta.takesIdempotencyKey;
}

/** The statuses in `errorRules` that are possible for this operation. */
function errorStatuses(operation: RestOperation): number[] {
  const { type, meta } = operation;
  const scope = meta.scope ?? (type === 'mutation' ? 'write' : 'read');
  return [
    400,
    401,
    ...(scope === 'write' ? [403] : []),
    ...(meta.rest.path.includes('{') ? [404] : []),
    408,
    ...(takesBody(operation) ? [413, 415] : []),
    ...(takesIdempotencyKey(operation) ? [422] : []),
    429,
    500,
    503,
  ];
}

/** The 409 of an operation: its own reason, and the one of every operation with an Idempotency-Key. */
function conflict(operation: RestOperation, components: SchemaComponents): Record<string, Response> {
  const idempotent = takesIdempotencyKey(operation);
  const reasons = [
    operation.meta.conflict,
    idempotent ? 'The first request with this Idempotency-Key is still running.' : undefined,
  ].filter((reason) => reason !== undefined);
  if (reasons.length === 0) return {};
  const hasLocation = operation.meta.conflict?.includes('Location') === true;
  const [message = ''] = reasons;
  const rule: ErrorRule = {
    status: 409,
    description: reasons.join(' Or: '),
    message: message.replaceAll('`', ''),
    headers: [
      ...everywhere,
      ...(hasLocation ? (['Location'] as const) : []),
      ...(idempotent ? (['Retry-After'] as const) : []),
    ],
  };
  return { 409: errorResponse(components, rule) };
}

/** The body of a success. */
function successSchema({ output, meta }: RestOperation, components: SchemaComponents): JsonSchema {
  if (output === null) throw new Error('A procedure with a response body has no output schema.');
  const schema = components.translate(output, 'output');
  if (meta.rest.envelope === 'bare') return schema;
  return { type: 'object', properties: { data: schema }, required: ['data'], additionalProperties: false };
}

/** A stream has no schema; the operation's description explains its events. */
const eventStream = {
  'text/event-stream': {
    schema: { type: 'string' },
    example: 'event: source\nid: 7\ndata: {"id":"...","status":"COMPLETED","revision":7}\n\n',
  },
};

function success(operation: RestOperation, description: string, components: SchemaComponents): Response {
  const names = [...everywhere, ...(takesIdempotencyKey(operation) ? (['Idempotent-Replayed'] as const) : [])];
  const response: Response = { description, headers: referencesTo(names) };
  if (operation.meta.rest.status === 204) return response;
  if (operation.type === 'subscription') return { ...response, content: eventStream };
  const schema = successSchema(operation, components);
  const { alternative } = operation.meta.rest;
  return {
    ...response,
    content: {
      'application/json': { schema, example: components.exampleOf(schema) },
      ...(alternative === undefined ? {} : { [alternative.mediaType]: { schema: text } }),
    },
  };
}

const successDescriptions: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: processing continues after the response.',
  204: 'Done, without a body.',
};

/** All responses of an operation, by status. */
export function responsesOf(
  operation: RestOperation,
  components: SchemaComponents,
): Record<string, Response | Reference> {
  const { status } = operation.meta.rest;
  const successes: Record<string, string> = {
    [status]: successDescriptions[status] ?? 'Done.',
    ...operation.meta.otherSuccesses,
  };
  return {
    ...Object.fromEntries(
      Object.entries(successes).map(([code, description]) => [code, success(operation, description, components)]),
    ),
    ...conflict(operation, components),
    ...Object.fromEntries(errorStatuses(operation).map((code) => [code, errorReference(code)])),
  };
}
