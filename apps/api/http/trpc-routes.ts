/** tRPC at /trpc: the same procedures, with error responses in the shape that tRPC clients parse. */
import { getErrorShape, getTRPCErrorFromUnknown } from '@trpc/server';
import { fastifyRequestHandler } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Logger } from '../../../platform/logger.ts';
import type { ContextOfRequest, RequestContext } from '../context.ts';
import { AppError, invalid, toErrorResponse, unauthorized } from '../errors.ts';
import { type AppRouter, appRouter } from '../routers/index.ts';
import { BODY_LIMIT, CONTENT_BODY_LIMIT } from '../trpc.ts';
import { acceptJson } from './json-body.ts';
import { recordMethods, rejectOtherMethods } from './methods.ts';
import { restOperations } from './rest.ts';

const paramsSchema = z.object({ path: z.string() });
interface TrpcRoute {
  Params: z.infer<typeof paramsSchema>;
}

const bodyLimits = new Map(restOperations(appRouter).map(({ name, meta }) => [name, meta.bodyLimit]));

/** Body limit of a batch: the largest limit of its calls. */
function bodyLimitOf(path: string): number {
  return Math.max(...path.split(',').map((name) => bodyLimits.get(name) ?? BODY_LIMIT));
}

/** Serves the procedures below `/trpc` on `app`. */
export async function registerTrpc(app: FastifyInstance, contextOf: ContextOfRequest, logger: Logger): Promise<void> {
  await app.register(async (scope) => {
    const allowed = recordMethods(scope);
    acceptJson(scope, (text, request: FastifyRequest) => {
      const { path } = paramsSchema.parse(request.params);
      if (Buffer.byteLength(text) > bodyLimitOf(path))
        throw new AppError('PAYLOAD_TOO_LARGE', 'The body is too large.');
      return text;
    });
    // Errors before tRPC handles the request.
    scope.setErrorHandler(async (cause, request, reply) => {
      const error = getTRPCErrorFromUnknown(cause);
      const { status, headers, body } = toErrorResponse(error, request.id);
      if (status >= 500) logger.error({ event: 'request.failed', requestId: request.id, status, err: cause });
      const shape = getErrorShape({
        config: appRouter._def._config,
        error,
        ctx: undefined,
        type: 'unknown',
        path: undefined,
        input: undefined,
      });
      return reply
        .code(status)
        .headers(headers)
        .send({ error: { ...shape, data: { ...shape.data, error: body } } });
    });
    scope.route<TrpcRoute>({
      method: ['GET', 'POST'],
      url: '/trpc/:path',
      exposeHeadRoute: false,
      bodyLimit: CONTENT_BODY_LIMIT,
      onRequest: async (request) => {
        const { caller, idempotencyKey } = await contextOf(request);
        if (caller === null) throw unauthorized();
        // tRPC decodes the path once more: an encoded comma would make a batch that was counted as one call.
        if (request.params.path.includes('%')) throw new AppError('NOT_FOUND', 'There is no such procedure.');
        if (idempotencyKey !== null && request.params.path.includes(',')) {
          throw invalid('Idempotency-Key', 'Not supported for a batch: send its calls as separate requests.');
        }
      },
      handler: async (req, res) =>
        fastifyRequestHandler<AppRouter, FastifyRequest<TrpcRoute>, typeof res>({
          req,
          res,
          path: req.params.path,
          router: appRouter,
          createContext: () => contextOf(req),
          responseMeta: ({ ctx, errors }) => {
            const [error] = errors;
            if (error === undefined) return { headers: ctx?.reply.headers ?? {} };
            return { headers: { 'content-type': 'application/json', ...toErrorResponse(error, req.id).headers } };
          },
          onError({ error, ctx }: { error: Error; ctx?: RequestContext | undefined }) {
            const { status } = toErrorResponse(error, '');
            if (status >= 500) logger.error({ event: 'request.failed', requestId: ctx?.requestId, status, err: error });
          },
        }),
    });
    rejectOtherMethods(scope, allowed);
  });
}
