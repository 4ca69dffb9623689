/** The HTTP server: REST, tRPC, health, metrics and files, with one error shape on every path. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Metrics } from '../../platform/metrics.ts';
import { authenticate } from './authenticate.ts';
import type { ApiDependencies, RequestContext } from './context.ts';
import { AppError, toRefusal } from './errors.ts';
import { registerFiles } from './files.ts';
import { checkHealth } from './health.ts';
import { registerRest } from './rest.ts';
import { appRouter } from './routers/index.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** tRPC puts the names of a batch into the path, and its input into the query string. */
const MOST_PATH_CHARACTERS = 2_000;
const TRPC_BODY_LIMIT = 16 * 1024 * 1024;

export interface ServerDependencies extends ApiDependencies {
  temporal: Client;
  metrics: Metrics;
}

/** Builds the server; `listen` it. */
export async function createServer(deps: ServerDependencies): Promise<FastifyInstance> {
  const { database, logger, metrics, storage, temporal } = deps;
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: MOST_PATH_CHARACTERS },
    // One shape for the errors that come before any route, too: a path that is no URL, say.
    frameworkErrors: (error, request, reply) => void sendRefusal(error, request, reply),
    clientErrorHandler: (_, socket) => {
      if (!socket.writable) return;
      const body = JSON.stringify({ error: 'Bad Request', message: 'The request is not valid HTTP.', code: 400 });
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: ${randomUUID()}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
    },
  });

  function sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, body, headers } = toRefusal(error, request.id);
    if (status >= 500) logger.error({ event: 'request.failed', requestId: request.id, status, err: error });
    return reply.code(status).headers({ 'x-request-id': request.id, ...headers }).send(body);
  }

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    metrics.httpRequests.observe(labels, reply.elapsedTime / 1_000);
  });
  app.setErrorHandler((error, request, reply) => sendRefusal(error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    sendRefusal(new AppError('NOT_FOUND', 'There is nothing at this path.'), request, reply),
  );
  acceptJsonOnly(app);
  const allowed = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ method, url }) => {
    const methods = allowed.get(url) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    allowed.set(url, methods);
  });

  async function createContext(request: FastifyRequest): Promise<RequestContext> {
    return {
      ...deps,
      requestId: request.id,
      caller: await authenticate(database, logger, request.headers.authorization),
      reply: {},
    };
  }

  app.get('/health', async (_, reply) => {
    const health = await checkHealth(database, temporal, storage);
    return reply.code(health.status === 'down' ? 503 : 200).send(health);
  });
  app.get('/metrics', async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  registerFiles(app, deps);
  registerRest(app, appRouter, createContext);
  refuseOtherMethods(app, allowed);
  await app.register(fastifyTRPCPlugin, {
    prefix: '/trpc',
    bodyLimit: TRPC_BODY_LIMIT,
    trpcOptions: {
      router: appRouter,
      createContext: ({ req }: { req: FastifyRequest }) => createContext(req),
      allowBatching: true,
      onError({ error, ctx }: { error: Error; ctx?: RequestContext | undefined }) {
        if (toRefusal(error, '').status >= 500) {
          logger.error({ event: 'request.failed', requestId: ctx?.requestId, err: error });
        }
      },
    },
  });
  return app;
}

/** application/json alone; an empty body counts as none, so that a body of optional fields may be left out. */
function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') {
      done(null, undefined);
      return;
    }
    parseJson(request, String(body), done);
  });
}

/** 405 with Allow for a known path and another method; without it that would be a 404. */
function refuseOtherMethods(app: FastifyInstance, allowed: Map<string, Set<string>>): void {
  for (const [url, methods] of [...allowed]) {
    const allow = [...methods].sort().join(', ');
    app.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      // Before the body is read, whatever its type.
      onRequest: async (request) => {
        throw new AppError('METHOD_NOT_SUPPORTED', `${request.method} is not possible here; ${allow} is.`, {
          headers: { allow },
        });
      },
      handler: async () => undefined,
    });
  }
}
