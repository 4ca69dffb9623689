import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

/** Serves GET /metrics and GET /health of a process without an API; returns the port. */
export async function startMetricsServer(options: {
  host: string;
  port: number;
  metrics: Metrics;
  healthy: () => boolean;
}): Promise<{ port: number; close(): Promise<void> }> {
  const { metrics, healthy } = options;
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/health') {
      const ok = healthy();
      response.writeHead(ok ? 200 : 503, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: ok ? 'ok' : 'down' }));
    } else if (path === '/metrics') {
      metrics.registry.metrics().then(
        (text) => {
          response.writeHead(200, { 'content-type': metrics.registry.contentType });
          response.end(text);
        },
        () => {
          response.writeHead(500);
          response.end();
        },
      );
    } else {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
