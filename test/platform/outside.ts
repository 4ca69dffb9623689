/** Servers and clients for tests of outbound requests, all closed after each test. */
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Server as TcpServer } from 'node:net';
import type { Resolve } from '../../platform/checked-connection.ts';
import { createEgress, type Egress, type EgressRequest } from '../../platform/egress.ts';

const opened: (Server | TcpServer)[] = [];
const clients: Egress[] = [];

/** Starts to listen; returns the port. */
export async function listen<T extends Server | TcpServer>(server: T, host = '127.0.0.1', port = 0): Promise<number> {
  opened.push(server);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** An HTTP server on 127.0.0.1; `requests` holds the paths that reached it. */
export async function serve(handler: RequestListener, host?: string, port?: number) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    handler(request, response);
  });
  const listening = await listen(server, host, port);
  return { port: listening, requests, server, base: `http://127.0.0.1:${listening}` };
}

/** A client that may reach these ports of 127.0.0.1. */
export function client(ports: number[], resolve?: Resolve): Egress {
  const allow = ports.map((port) => `127.0.0.1:${port}`);
  const made = createEgress({ allow, ...(resolve === undefined ? {} : { resolve }) });
  clients.push(made);
  return made;
}

export const resolveTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));

export const limits = { maxBytes: 1_000_000, timeoutMs: 10_000 } satisfies EgressRequest;

afterEach(async () => {
  await Promise.all(clients.splice(0).map((each) => each.close()));
  for (const server of opened.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});
