/**
 * Test site: a real HTTP server for pages to fetch and for postbacks. Tests control it over HTTP, since it runs in the
 * process that sets up the suite.
 *
 *   PUT /_script/<path>   sets a JSON list of responses for <path>, used in order; the last one repeats
 *   GET /_received/<path> returns the requests to <path>, in order
 *   POST /_release/<path> sends the held responses of <path>
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const responseSchema = z.object({
  status: z.int().default(200),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(''),
  /** Delay of the response. */
  afterMs: z.int().default(0),
  /** Never responds: for cancels during a fetch. */
  hang: z.boolean().default(false),
  /** Responds when released, possibly after the client has disconnected. */
  held: z.boolean().default(false),
  /** Sends the headers and body, and never ends the response. */
  stall: z.boolean().default(false),
});
export type SiteResponse = z.input<typeof responseSchema>;

export interface ReceivedRequest {
  method: string;
  headers: Record<string, string>;
  body: string;
  at: number;
  /** True if the client disconnected before the response was complete. */
  aborted: boolean;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Starts the test site on a free port of 127.0.0.1. */
export async function startSite(): Promise<{ url: string; port: number; close(): Promise<void> }> {
  const scripts = new Map<string, z.output<typeof responseSchema>[]>();
  const received = new Map<string, ReceivedRequest[]>();
  const held = new Map<string, (() => void)[]>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (path.startsWith('/_script/')) {
      scripts.set(path.slice('/_script'.length), z.array(responseSchema).parse(JSON.parse(await readBody(request))));
      response.end();
      return;
    }
    if (path.startsWith('/_received/')) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(received.get(path.slice('/_received'.length)) ?? []));
      return;
    }
    if (path.startsWith('/_release/')) {
      for (const release of held.get(path.slice('/_release'.length))?.splice(0) ?? []) release();
      response.end();
      return;
    }
    const log = received.get(path) ?? [];
    received.set(path, log);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const entry = { method: request.method ?? '', headers, body: '', at: Date.now(), aborted: false };
    log.push(entry);
    response.once('close', () => {
      entry.aborted = !response.writableFinished;
    });
    entry.body = await readBody(request);
    const script = scripts.get(path) ?? [];
    const next = script.length > 1 ? script.shift() : script[0];
    if (next?.hang) return;
    if (next?.afterMs) await delay(next.afterMs);
    if (next?.held) await new Promise<void>((release) => held.set(path, [...(held.get(path) ?? []), release]));
    response.writeHead(next?.status ?? 404, { 'content-type': 'text/html; charset=utf-8', ...next?.headers });
    if (next?.stall) response.write(next.body);
    else response.end(next?.body ?? '');
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500);
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
