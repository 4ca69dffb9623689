/** REST for every procedure, at the method and path that it names, under each of the prefixes. */
import { type AnyRouter, callTRPCProcedure } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { scopes } from '../../contract/statuses.ts';
import { prefersToJson } from './accept.ts';
import type { ContextOfRequest } from './context.ts';
import { badRequest, type ErrorDetail, invalid, unauthorized } from './errors.ts';
import { sendEvents } from './event-stream.ts';
import { announcesBody } from './json-body.ts';
import { BODY_LIMIT } from './trpc.ts';

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
    alsoAnswers: z.record(z.string(), z.string()).default({}),
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

/** Whether an operation's fields come in a body; else they stand in the query string. */
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

/** What a query string or a path holds is text: numbers and booleans are read where the schema wants them. */
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

/** The fields of the body. @throws AppError 400 for a body that is no object, or fields that stand elsewhere. */
function readBody({ body = {} }: FastifyRequest, parameters: object, query: object): Record<string, unknown> {
  if (!isObject(body)) throw invalid('body', 'Must be a JSON object.');
  const misplaced = Object.keys(body).filter((name) => Object.hasOwn(parameters, name));
  const details = unknownFields([...misplaced, ...Object.keys(query)]);
  if (details.length > 0) throw badRequest(details);
  return body;
}

/** The fields of the query string. @throws AppError 400 for a body, or fields that belong into the path. */
function readQuery(request: FastifyRequest, input: z.ZodObject | null, parameters: object, query: object): object {
  if (announcesBody(request)) throw invalid('body', `${request.method} takes no body.`);
  const details = unknownFields(Object.keys(query).filter((name) => Object.hasOwn(parameters, name)));
  if (details.length > 0) throw badRequest(details);
  const shape = input?.shape ?? {};
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      coerce(Object.hasOwn(shape, name) ? shape[name] : undefined, value),
    ]),
  );
}

/** Where a stream was broken off, as its client says when it connects again (WHATWG HTML, 9.2.4). */
function lastEventId({ type }: RestOperation, { headers }: FastifyRequest): { lastEventId?: string } {
  const id = headers['last-event-id'];
  return type === 'subscription' && typeof id === 'string' ? { lastEventId: id } : {};
}

/** Path parameters and, by the method, the fields of the body or of the query string: each field has one place. */
function readInput(operation: RestOperation, request: FastifyRequest): unknown {
  const parameters = isObject(request.params) ? request.params : {};
  const query = isObject(request.query) ? request.query : {};
  const fields = takesBody(operation)
    ? readBody(request, parameters, query)
    : readQuery(request, operation.input, parameters, query);
  return { ...fields, ...lastEventId(operation, request), ...parameters };
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
      const abort = new AbortController();
      // Of the response: that of the request comes as soon as it is read.
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) abort.abort();
      });
      const input = readInput(operation, request);
      const result: unknown = await callTRPCProcedure({
        router,
        path: operation.name,
        type: operation.type,
        ctx,
        getRawInput: async () => input,
        input,
        signal: abort.signal,
        batchIndex: 0,
      });
      if (operation.type === 'subscription') return sendEvents(reply, eventsSchema.parse(result));
      reply.code(ctx.reply.status ?? status).headers(ctx.reply.headers);
      if (status === 204) return reply.send();
      if (alternative !== undefined) {
        reply.header('vary', 'accept');
        if (isObject(result) && prefersToJson(request.headers.accept, alternative.mediaType)) {
          return reply.type(`${alternative.mediaType}; charset=utf-8`).send(result[alternative.field]);
        }
      }
      return reply.send(envelope === 'data' ? { data: result } : result);
    };
    for (const prefix of prefixes) {
      app.route({
        method,
        url: prefix + path.replaceAll(/\{(\w+)\}/g, ':$1'),
        // Before the body is read: nobody without a key has us parse 16 MiB.
        onRequest: async (request) => {
          if ((await contextOf(request)).caller === null) throw unauthorized();
        },
        bodyLimit: operation.meta.bodyLimit,
        handler,
      });
    }
  }
}
