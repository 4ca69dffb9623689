/** REST routes of every procedure, at the method and path in its meta, under each prefix. */
import { type AnyRouter, callTRPCProcedure } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { scopes } from '../../../contract/statuses.ts';
import type { ContextOfRequest } from '../context.ts';
import { type ErrorDetail, invalid, unauthorized } from '../errors.ts';
import { sendEvents } from '../live/event-stream.ts';
import { BODY_LIMIT } from '../trpc.ts';
import { prefersToJson } from './accept.ts';
import { readNoBody, requireNoFields } from './json-body.ts';
import { sendText, sendWithText } from './streamed-text.ts';

export const prefixes = ['/v1', '/api/v1'] as const;

const definitionSchema = z.object({
  type: z.enum(['query', 'mutation', 'subscription']),
  meta: z.object({
    rest: z.object({
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      path: z.string(),
      status: z.number().default(200),
      envelope: z.enum(['data', 'bare']).default('data'),
      alternative: z.object({ mediaType: z.string(), field: z.string() }).optional(),
    }),
    bodyLimit: z.number().default(BODY_LIMIT),
    scope: z.enum(scopes).optional(),
    takesIdempotencyKey: z.boolean().default(false),
    summary: z.string(),
    description: z.string().optional(),
    conflict: z.string().optional(),
    otherSuccesses: z.record(z.string(), z.string()).default({}),
    example: z.record(z.string(), z.unknown()).optional(),
  }),
  inputs: z.array(z.unknown()),
  output: z.instanceof(z.ZodType).optional(),
});

export interface RestOperation extends Pick<z.infer<typeof definitionSchema>, 'type' | 'meta'> {
  name: string;
  input: z.ZodObject | null;
  output: z.ZodType | null;
}

/** Whether an operation's fields are in the body; otherwise they are in the query string. */
export function takesBody({ type, meta }: RestOperation): boolean {
  return type === 'mutation' && meta.rest.method !== 'DELETE';
}

/** The procedures of a router as REST operations. */
export function restOperations(router: AnyRouter): RestOperation[] {
  return Object.entries<{ _def: unknown }>(router._def.procedures).map(([name, procedure]) => {
    const { type, meta, inputs, output = null } = definitionSchema.parse(procedure._def);
    return { name, type, meta, input: inputs.find((schema) => schema instanceof z.ZodObject) ?? null, output };
  });
}

/** Query and path values are text: numbers and booleans are parsed where the schema requires them. */
function coerce(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (typeof value !== 'string' || schema === undefined) return value;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return coerce(schema.def.innerType, value);
  }
  if (schema instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (schema instanceof z.ZodBoolean && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownFields(names: string[]): ErrorDetail[] {
  return names.map((field) => ({ field, message: 'Unknown field.' }));
}

/** Fields of a request, and details on those in the wrong place. */
interface Fields {
  fields: object;
  misplaced: ErrorDetail[];
}

/** The fields of the body. @throws AppError 400 for a body that is not an object */
function readBody({ body = {} }: FastifyRequest, parameters: object, query: object): Fields {
  if (!isObject(body)) throw invalid('body', 'Must be a JSON object.');
  const misplaced = Object.keys(body).filter((name) => Object.hasOwn(parameters, name));
  return { fields: body, misplaced: unknownFields([...misplaced, ...Object.keys(query)]) };
}

/** The fields of the query string. @throws AppError 400 for a body with fields */
async function readQuery(
  request: FastifyRequest,
  input: z.ZodObject | null,
  parameters: object,
  query: object,
): Promise<Fields> {
  if (request.method === 'DELETE') requireNoFields(request, request.body);
  else await readNoBody(request);
  const shape = input?.shape ?? {};
  const fields = Object.entries(query).map(([name, value]) => [
    name,
    coerce(Object.hasOwn(shape, name) ? shape[name] : undefined, value),
  ]);
  const misplaced = Object.keys(query).filter((name) => Object.hasOwn(parameters, name));
  return { fields: Object.fromEntries(fields), misplaced: unknownFields(misplaced) };
}

/** The Last-Event-ID of a client that reconnects to a stream (WHATWG HTML, 9.2.4). */
function lastEventId({ type }: RestOperation, { headers }: FastifyRequest): { lastEventId?: string } {
  const id = headers['last-event-id'];
  return type === 'subscription' && typeof id === 'string' ? { lastEventId: id } : {};
}

/** Path parameters and, by method, the fields of the body or the query string: each field has one place. */
async function readInput(
  operation: RestOperation,
  request: FastifyRequest,
): Promise<{ input: object; misplaced: ErrorDetail[] }> {
  const parameters = isObject(request.params) ? request.params : {};
  const query = isObject(request.query) ? request.query : {};
  const { fields, misplaced } = takesBody(operation)
    ? readBody(request, parameters, query)
    : await readQuery(request, operation.input, parameters, query);
  return { input: { ...fields, ...lastEventId(operation, request), ...parameters }, misplaced };
}

const eventsSchema = z.custom<AsyncIterable<unknown>>(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);

/** Registers all operations of `router` on `app`. */
export function registerRest(app: FastifyInstance, router: AnyRouter, contextOf: ContextOfRequest): void {
  for (const operation of restOperations(router)) {
    const { method, path, status, envelope, alternative } = operation.meta.rest;
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const ctx = await contextOf(request);
      ctx.mayWait = request.method !== 'HEAD';
      ctx.streams = true;
      const { input, misplaced } = await readInput(operation, request);
      ctx.misplaced = misplaced;
      const result: unknown = await callTRPCProcedure({
        router,
        path: operation.name,
        type: operation.type,
        ctx,
        getRawInput: async () => input,
        input,
        signal: ctx.closed,
        batchIndex: 0,
      });
      if (operation.type === 'subscription') return sendEvents(reply, eventsSchema.parse(result));
      reply.code(ctx.reply.status ?? status).headers(ctx.reply.headers);
      if (status === 204) return reply.send();
      if (alternative !== undefined) {
        reply.header('vary', 'accept');
        const isPreferred = prefersToJson(request.headers.accept, alternative.mediaType);
        if (isPreferred && ctx.reply.text) return sendText(reply, ctx.reply.text, alternative.mediaType);
        if (isPreferred && isObject(result)) {
          return reply.type(`${alternative.mediaType}; charset=utf-8`).send(result[alternative.field]);
        }
      }
      const body = envelope === 'data' ? { data: result } : result;
      return ctx.reply.text && isObject(body) ? sendWithText(reply, ctx.reply.text, body) : reply.send(body);
    };
    for (const prefix of prefixes) {
      app.route({
        method,
        url: prefix + path.replaceAll(/\{(\w+)\}/g, ':$1'),
        // A stream has no length and no end, so no HEAD.
        exposeHeadRoute: operation.type !== 'subscription',
        // Before the body is read, so that none of 16 MiB is parsed without a key.
        onRequest: async (request) => {
          if ((await contextOf(request)).caller === null) throw unauthorized();
        },
        bodyLimit: operation.meta.bodyLimit,
        handler,
      });
    }
  }
}
