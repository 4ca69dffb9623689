/** REST for every procedure that names a method and a path, under each of the prefixes. */
import { callTRPCProcedure, type AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { RequestContext } from './context.ts';
import { AppError, type ErrorDetail, unauthorized } from './errors.ts';
import type { ProcedureMeta } from './trpc.ts';

export const prefixes = ['/v1', '/api/v1'] as const;

/** Bodies up to 1 MiB; creating and updating sources up to 16 MiB, since JSON escapes can triple a text. */
const BODY_LIMIT = 1024 * 1024;
const SOURCE_BODY_LIMIT = 16 * 1024 * 1024;
const sourceBodies = new Set(['POST /spaces/{spaceId}/sources', 'PATCH /sources/{sourceId}']);

const metaSchema = z.object({
  rest: z.object({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: z.string(),
    status: z.number().optional(),
    envelope: z.enum(['data', 'bare']).optional(),
  }),
});

export interface RestOperation {
  name: string;
  meta: ProcedureMeta;
  type: 'query' | 'mutation';
  input: z.ZodObject | null;
}

/** The procedures of a router as REST operations. */
export function restOperations(router: AnyRouter): RestOperation[] {
  return Object.entries(router._def.procedures).map(([name, procedure]) => {
    const definition = z
      .object({ _def: z.object({ type: z.enum(['query', 'mutation']), meta: metaSchema, inputs: z.array(z.unknown()) }) })
      // Procedures are functions that carry their definition.
      .parse({ _def: (procedure as { _def: unknown })._def })._def;
    const input = definition.inputs.find((schema) => schema instanceof z.ZodObject) ?? null;
    return { name, meta: definition.meta as ProcedureMeta, type: definition.type, input };
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

/** Path parameters and, by the method, the fields of the body or of the query string: each field has one place. */
function readInput(operation: RestOperation, request: FastifyRequest): unknown {
  const parameters = isObject(request.params) ? request.params : {};
  const queryFields = isObject(request.query) ? request.query : {};
  const takesBody = operation.type === 'mutation' && operation.meta.rest.method !== 'DELETE';
  const body = request.body ?? {};
  if (takesBody && !isObject(body)) {
    const details = [{ field: 'body', message: 'Must be a JSON object.' }];
    throw new AppError('BAD_REQUEST', 'The request is not valid.', { details });
  }
  const fields = takesBody && isObject(body) ? body : queryFields;
  const misplaced: ErrorDetail[] = [
    ...Object.keys(fields).filter((name) => name in parameters),
    ...(takesBody ? Object.keys(queryFields) : []),
  ].map((field) => ({ field, message: 'Unknown field.' }));
  if (misplaced.length > 0) throw new AppError('BAD_REQUEST', 'The request is not valid.', { details: misplaced });

  const shape = operation.input?.shape ?? {};
  const typed = takesBody
    ? fields
    : Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, coerce(shape[name], value)]));
  const input = { ...typed, ...parameters };
  return operation.input === null && Object.keys(input).length === 0 ? undefined : input;
}

/** Registers all operations of `router` on `app`. */
export function registerRest(
  app: FastifyInstance,
  router: AnyRouter,
  createContext: (request: FastifyRequest) => Promise<RequestContext>,
): void {
  const contexts = new WeakMap<FastifyRequest, RequestContext>();
  for (const operation of restOperations(router)) {
    const { method, path, status = 200, envelope = 'data' } = operation.meta.rest;
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const ctx = contexts.get(request) ?? (await createContext(request));
      const abort = new AbortController();
      request.raw.once('close', () => abort.abort());
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
      reply.code(ctx.reply.status ?? status);
      if (status === 204) return reply.send();
      return reply.send(envelope === 'data' ? { data: result } : result);
    };
    for (const prefix of prefixes) {
      app.route({
        method,
        url: prefix + path.replaceAll(/\{(\w+)\}/g, ':$1'),
        // Before the body is read: nobody without a key has us parse 16 MiB.
        onRequest: async (request) => {
          const ctx = await createContext(request);
          if (ctx.caller === null) throw unauthorized();
          contexts.set(request, ctx);
        },
        bodyLimit: sourceBodies.has(`${method} ${path}`) ? SOURCE_BODY_LIMIT : BODY_LIMIT,
        handler,
      });
    }
  }
}
