/** The HTTP server: REST, tRPC, health, metrics, files and the documentation, with one error shape on every path. */
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Client } from '@temporalio/client';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Metrics } from '../../platform/metrics.ts';
import { createAdmission, isCounted } from './admission/admission.ts';
import { createAuthenticator } from './admission/authenticate.ts';
import { shareBodyMemory } from './admission/body-memory.ts';
import type { Caller } from './admission/caller.ts';
import { openRateLimits } from './admission/rate-limit.ts';
import { createReadMemory } from './admission/read-memory.ts';
import type { ApiDependencies, RequestContext } from './context.ts';
import { AppError, clientGone, invalid, toRefusal } from './errors.ts';
import { registerFiles } from './http/files.ts';
import { closeInOrder } from './http/graceful-close.ts';
import { checkHealth, lookAtHealth } from './http/health.ts';
import { acceptJson, parseJson } from './http/json-body.ts';
import { noteMethods, refuseOtherMethods } from './http/methods.ts';
import { answerClientError, answerExpectation, everyAnswer } from './http/raw-http.ts';
import { registerRest, restOperations } from './http/rest.ts';
import { closeStalledResponses } from './http/stalled-responses.ts';
import { registerTrpc } from './http/trpc-routes.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { openChanges } from './live/changes.ts';
import { createWatches } from './live/watches.ts';
import { registerDocumentation } from './openapi/routes.ts';
import { appRouter } from './routers/index.ts';
import { createWrites } from './write.ts';

/** More than Node.js takes as headers: an id of any length is simply not found. */
const MAX_PATH_CHARACTERS = 32_768;
/** So much of a body that is too large is read to its end and thrown away. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;
/** The headers alone. */
const MAX_HEADER_SECONDS = 20;
/** How long a client may take nothing of its answer. */
const UNREAD_TIMEOUT_MS = 60_000;
/** Interval between two looks at requests that take too long to arrive. */
const LOOK_AT_CONNECTIONS_MS = 1_000;

export interface ServerDependencies extends ApiDependencies {
  temporal: Client;
  metrics: Metrics;
}

function nothingHere(): AppError {
  return new AppError('NOT_FOUND', 'There is nothing at this path.');
}

/** Builds the server; `listen` it. */
export async function createServer(deps: ServerDependencies): Promise<FastifyInstance> {
  const { config, database, logger, metrics, storage, temporal } = deps;
  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    // Whose X-Forwarded-For is believed: wrong keys are counted by `request.ip`.
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    routerOptions: { maxParamLength: MAX_PATH_CHARACTERS },
    // For all of a request: a body that stops half way would keep its place for ever.
    requestTimeout: config.REQUEST_TIMEOUT_SECONDS * 1_000,
    connectionTimeout: UNREAD_TIMEOUT_MS,
    // closing.ts says it in our shape.
    return503OnClosing: false,
    http: {
      // Asked for below, where the answer gets our shape.
      requireHostHeader: false,
      headersTimeout: Math.min(config.REQUEST_TIMEOUT_SECONDS, MAX_HEADER_SECONDS) * 1_000,
      connectionsCheckingInterval: LOOK_AT_CONNECTIONS_MS,
    },
    // One shape for the errors that come before any route, too: a path that is no URL, say.
    frameworkErrors: (error, request, reply) => void sendRefusal(error, request, reply),
    clientErrorHandler: answerClientError,
  });
  app.server.on('checkExpectation', answerExpectation);
  // Every method that Node.js reads (CONNECT never gets here), so that any wrong one is a 405.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);

  function sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // A body whose client leaves ends with an error that reads like one of a dependency's connection.
    const reason = error === request.raw.errored ? clientGone() : error;
    const { status, body, headers } = toRefusal(reason, request.id);
    if (status >= 500) logger.error({ event: 'request.failed', requestId: request.id, status, err: error });
    return reply
      .code(status)
      .headers({ 'x-request-id': request.id, ...everyAnswer, ...headers })
      .send(body);
  }

  closeStalledResponses(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...everyAnswer });
    // What is behind a key is nobody else's to keep.
    if (isCounted(request)) reply.header('cache-control', 'no-store');
    // RFC 9112, 3.2.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw invalid('host', 'Required.');
  });
  const limits = openRateLimits(config.DATABASE_URL, logger);
  const changes = openChanges(config.DATABASE_URL, logger);
  const watches = createWatches({ config, database, logger, metrics, changes });
  closeInOrder(app, () => watches.close());
  app.addHook('onClose', async () => {
    await Promise.all([limits.close(), changes.close()]);
  });
  const authenticator = createAuthenticator(database, logger);
  const admit = createAdmission({ config, metrics, authenticator, limits });
  const callers = new WeakMap<FastifyRequest, Caller | null>();
  // Before the body is read, and for errors and unknown paths too.
  app.addHook('onRequest', async (request, reply) => {
    if (isCounted(request)) callers.set(request, await admit(request, reply));
    // Before a body is read that nothing would look at.
    if (request.is404) throw nothingHere();
  });
  app.addHook('onSend', async (request, reply) => {
    // Fastify would end the connection while the client still sends, which then might never see the 413.
    if (reply.statusCode === 413 && Number(request.headers['content-length']) <= MAX_DRAINED_BYTES) {
      reply.removeHeader('connection');
    }
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    metrics.httpRequests.observe(labels, reply.elapsedTime / 1_000);
  });
  app.setErrorHandler((error, request, reply) => sendRefusal(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendRefusal(nothingHere(), request, reply));

  const inputs = new Map(
    restOperations(appRouter).flatMap(({ name, input }) => (input === null ? [] : [[name, input] as const])),
  );
  const readMemory = createReadMemory();
  const writes = createWrites(config);
  const closings = new WeakMap<FastifyRequest, AbortSignal>();
  const closedOf = (request: FastifyRequest) => closings.get(request) ?? AbortSignal.abort(clientGone());
  app.addHook('onRequest', async (request, reply) => {
    const closing = new AbortController();
    closings.set(request, closing.signal);
    // Of the response: that of the request comes as soon as it is read.
    reply.raw.once('close', () => closing.abort(clientGone()));
  });
  shareBodyMemory(app, { ownerOf: (request) => callers.get(request)?.userId, closedOf });
  const contexts = new WeakMap<FastifyRequest, Promise<RequestContext>>();
  async function createContext(request: FastifyRequest): Promise<RequestContext> {
    return {
      ...deps,
      watches,
      readMemory,
      writes,
      streams: false,
      closed: closedOf(request),
      requestId: request.id,
      caller: callers.get(request) ?? null,
      mayWait: true,
      misplaced: [],
      inputs,
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      reply: { headers: {} },
    };
  }
  /** One context for a request, whoever asks first. */
  function contextOf(request: FastifyRequest): Promise<RequestContext> {
    const context = contexts.get(request) ?? createContext(request);
    contexts.set(request, context);
    return context;
  }

  await registerTrpc(app, contextOf, logger);
  acceptJson(app, parseJson);
  const allowed = noteMethods(app);
  const look = lookAtHealth(() => checkHealth(database, temporal, storage));
  app.get('/health', async (_, reply) => {
    const health = await look();
    return reply.code(health.status === 'down' ? 503 : 200).send(health);
  });
  app.get('/metrics', async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  registerFiles(app, deps);
  await registerDocumentation(app, deps.config.PUBLIC_URL);
  registerRest(app, appRouter, contextOf);
  refuseOtherMethods(app, allowed);
  return app;
}
