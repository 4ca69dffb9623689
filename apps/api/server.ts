/** The HTTP server: REST, tRPC, health, metrics, files and documentation, with one error shape on every path. */
import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Client } from '@temporalio/client';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Metrics } from '../../platform/metrics.ts';
import { registerMetrics } from '../../platform/metrics-server.ts';
import { createAdmission, isCounted } from './admission/admission.ts';
import { createAuthenticator } from './admission/authenticate.ts';
import { shareBodyMemory } from './admission/body-memory.ts';
import type { Caller } from './admission/caller.ts';
import { openRateLimits } from './admission/rate-limit.ts';
import { createReadMemory } from './admission/read-memory.ts';
import type { ApiDependencies, RequestContext } from './context.ts';
import { AppError, clientGone, invalid, toErrorResponse } from './errors.ts';
import { registerFiles } from './http/files.ts';
import { closeGracefully } from './http/graceful-close.ts';
import { checkHealth, coalesceChecks } from './http/health.ts';
import { acceptJson, parseJson } from './http/json-body.ts';
import { recordMethods, rejectOtherMethods } from './http/methods.ts';
import { commonHeaders, rejectExpectation, respondToClientError } from './http/raw-http.ts';
import { registerRest, restOperations } from './http/rest.ts';
import { closeStalledResponses } from './http/stalled-responses.ts';
import { registerTrpc } from './http/trpc-routes.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { openChanges } from './live/changes.ts';
import { createWatches } from './live/watches.ts';
import { registerDocumentation } from './openapi/routes.ts';
import { appRouter } from './routers/index.ts';
import { createWrites } from './write.ts';

/** Above Node.js's limit of all headers, so that an id of any length is 404. */
const MAX_PATH_CHARACTERS = 32_768;
/** A body that is too large is read and discarded up to this size, so that its client sees the 413. */
const MAX_DRAINED_BYTES = 64 * 1024 * 1024;
/** Timeout of a request's headers. */
const MAX_HEADER_SECONDS = 20;
/** Timeout of a client that reads nothing of its response. */
const UNREAD_TIMEOUT_MS = 60_000;
/** Interval between checks for requests that exceed their timeout. */
const CONNECTION_CHECK_MS = 1_000;

export interface ServerDependencies extends ApiDependencies {
  temporal: Client;
  metrics: Metrics;
}

function unknownPath(): AppError {
  return new AppError('NOT_FOUND', 'There is nothing at this path.');
}

/** Builds the server; the caller calls `listen`. */
export async function createServer(deps: ServerDependencies): Promise<FastifyInstance> {
  const { config, database, logger, metrics, storage, temporal } = deps;
  const app: FastifyInstance = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    // Proxies whose X-Forwarded-For is trusted: wrong keys are counted by `request.ip`.
    trustProxy: config.TRUSTED_PROXIES.length > 0 ? config.TRUSTED_PROXIES : false,
    routerOptions: { maxParamLength: MAX_PATH_CHARACTERS },
    // Timeout of the whole request: a stalled body would keep its share of memory forever.
    requestTimeout: config.REQUEST_TIMEOUT_SECONDS * 1_000,
    connectionTimeout: UNREAD_TIMEOUT_MS,
    // graceful-close.ts sends this 503 in our error shape.
    return503OnClosing: false,
    http: {
      // Checked in a hook below, so that the response has our error shape.
      requireHostHeader: false,
      headersTimeout: Math.min(config.REQUEST_TIMEOUT_SECONDS, MAX_HEADER_SECONDS) * 1_000,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
    },
    // Errors before routing, such as a path that is not a URL.
    frameworkErrors: (error, request, reply) => void sendErrorResponse(error, request, reply),
    clientErrorHandler: respondToClientError,
  });
  app.server.on('checkExpectation', rejectExpectation);
  // Every method that Node.js parses (CONNECT never gets here), so that a wrong one is 405.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);

  function sendErrorResponse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // If the client disconnects during its body, the error looks like one of a dependency's connection.
    const reason = error === request.raw.errored ? clientGone() : error;
    const { status, body, headers } = toErrorResponse(reason, request.id);
    if (status >= 500) logger.error({ event: 'request.failed', requestId: request.id, status, err: error });
    return reply
      .code(status)
      .headers({ 'x-request-id': request.id, ...commonHeaders, ...headers })
      .send(body);
  }

  closeStalledResponses(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...commonHeaders });
    // Caches must not store an owner's data.
    if (isCounted(request)) reply.header('cache-control', 'no-store');
    // RFC 9112, 3.2.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') throw invalid('host', 'Required.');
  });
  const limits = openRateLimits(config.DATABASE_URL, logger);
  const changes = openChanges(config.DATABASE_URL, logger);
  const watches = createWatches({ config, database, logger, metrics, changes });
  closeGracefully(app, () => watches.close());
  app.addHook('onClose', async () => {
    await Promise.all([limits.close(), changes.close()]);
  });
  const authenticator = createAuthenticator(database, logger);
  const admit = createAdmission({ config, metrics, authenticator, limits });
  const callers = new WeakMap<FastifyRequest, Caller | null>();
  // Before the body is read, and for errors and unknown paths, too.
  app.addHook('onRequest', async (request, reply) => {
    if (isCounted(request)) callers.set(request, await admit(request, reply));
    // Before the body of an unknown path is read.
    if (request.is404) throw unknownPath();
  });
  app.addHook('onSend', async (request, reply) => {
    // Fastify would close the connection while the client still sends; the client might never see the 413.
    if (reply.statusCode === 413 && Number(request.headers['content-length']) <= MAX_DRAINED_BYTES) {
      reply.removeHeader('connection');
    }
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const labels = { method: request.method, route, status: String(reply.statusCode) };
    metrics.httpRequests.observe(labels, reply.elapsedTime / 1_000);
  });
  app.setErrorHandler((error, request, reply) => sendErrorResponse(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendErrorResponse(unknownPath(), request, reply));

  const inputs = new Map(
    restOperations(appRouter).flatMap(({ name, input }) => (input === null ? [] : [[name, input] as const])),
  );
  const readMemory = createReadMemory();
  const writes = createWrites(config);
  const closeSignals = new WeakMap<FastifyRequest, AbortSignal>();
  const closedOf = (request: FastifyRequest) => closeSignals.get(request) ?? AbortSignal.abort(clientGone());
  app.addHook('onRequest', async (request, reply) => {
    const closing = new AbortController();
    closeSignals.set(request, closing.signal);
    // Not the request's `close`, which is emitted as soon as the request is read.
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
  /** The context of a request, created on first use. */
  function contextOf(request: FastifyRequest): Promise<RequestContext> {
    const context = contexts.get(request) ?? createContext(request);
    contexts.set(request, context);
    return context;
  }

  await registerTrpc(app, contextOf, logger);
  acceptJson(app, parseJson);
  const allowed = recordMethods(app);
  const currentHealth = coalesceChecks(() => checkHealth(database, temporal, storage));
  app.get('/health', async (_, reply) => {
    const health = await currentHealth();
    return reply.code(health.status === 'down' ? 503 : 200).send(health);
  });
  registerMetrics(app, metrics);
  registerFiles(app, deps);
  await registerDocumentation(app, deps.config.PUBLIC_URL);
  registerRest(app, appRouter, contextOf);
  rejectOtherMethods(app, allowed);
  return app;
}
