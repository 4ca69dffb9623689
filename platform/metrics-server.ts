import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/** Registers GET /metrics on `app`. */
export function registerMetrics(app: FastifyInstance, { registry }: Metrics): void {
  app.get('/metrics', async (_, reply) => reply.type(registry.contentType).send(await registry.metrics()));
}

/** Serves GET /metrics and GET /health of a process without an API; returns the port. */
export async function startMetricsServer(options: {
  host: string;
  port: number;
  metrics: Metrics;
  healthy: () => boolean;
}): Promise<{ port: number; close(): Promise<void> }> {
  const { host, port, metrics, healthy } = options;
  const app = fastify();
  registerMetrics(app, metrics);
  app.get('/health', async (_, reply) => {
    const ok = healthy();
    return reply.code(ok ? 200 : 503).send({ status: ok ? 'ok' : 'down' });
  });
  await app.listen({ host, port });
  const address = app.server.address() as AddressInfo;
  return { port: address.port, close: () => app.close() };
}
