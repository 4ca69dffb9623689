/**
 * External servers of a chaos run: pages to fetch and receivers of postbacks, some of them slow, failing at first or
 * silent. The path selects the behavior: /page/<marker>/<behavior>, /postback/<marker>/<behavior>. After
 * `stopFailures` every request gets its response immediately.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createChance } from './chance.ts';
import { textOf } from './text.ts';

/**
 * Weights of the behaviors. `flaky` fails twice; `hanging` never responds to two requests; `gone` always returns 404.
 * `late` delays a request until the next one for the page has its response, so that a zombie worker's attempt ends last.
 */
export const pageBehaviors = { quick: 4, slow: 3, late: 6, dripping: 2, flaky: 2, hanging: 2, gone: 1 } as const;
export type PageBehavior = keyof typeof pageBehaviors;
export const receiverBehaviors = { quick: 5, slow: 2, flaky: 3, hanging: 1 } as const;
export type ReceiverBehavior = keyof typeof receiverBehaviors;

const FAILURES = 2;
const SLOW_MS = 2_500;
/** Longer than the heartbeat timeout, so that a zombie worker's request is still open when another worker fetches. */
const LATE_MS = 30_000;
/** Delay after the other request: that worker has stored its content by then, and its run has not ended yet. */
const AFTER_OTHERS_MS = [50, 350] as const;

export interface Served {
  marker: string;
  version: number;
  /** URL of the page. */
  url: string;
  at: number;
}

export interface ReceivedPostback {
  marker: string;
  at: number;
  headers: Record<string, string>;
  body: string;
  /** Null until the response is sent, and if the client disconnected before. */
  responseStatus: number | null;
}

export interface Outside {
  port: number;
  pageUrl(marker: string, behavior: PageBehavior): string;
  receiverUrl(marker: string, behavior: ReceiverBehavior): string;
  /** Every version whose response was started. */
  served: Served[];
  received: ReceivedPostback[];
  /** From now on responds to all requests immediately, including open ones. */
  stopFailures(): void;
  close(): Promise<void>;
}

export async function startOutside(seed: number): Promise<Outside> {
  const chance = createChance(seed, 'outside');
  const served: Served[] = [];
  const received: ReceivedPostback[] = [];
  const versions = new Map<string, number>();
  const failures = new Map<string, number>();
  /** By page: ends the wait of the earlier request. */
  const waitingPages = new Map<string, () => void>();
  const healthy = new AbortController();

  const pause = (ms: number) => delay(ms, undefined, { signal: healthy.signal }).catch(() => undefined);
  const forever = () => pause(2 ** 31 - 1);
  /** Returns true for the first FAILURES calls with the same key. */
  function shouldFail(key: string): boolean {
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    return count <= FAILURES && !healthy.signal.aborted;
  }

  /** Waits for the next request for this page. If another request waits, ends its wait and returns immediately. */
  async function awaitNextRequest(marker: string): Promise<void> {
    const endWait = waitingPages.get(marker);
    if (endWait !== undefined) {
      waitingPages.delete(marker);
      endWait();
      return;
    }
    const next = Promise.withResolvers<void>();
    waitingPages.set(marker, next.resolve);
    await Promise.race([next.promise, pause(LATE_MS)]);
    if (waitingPages.get(marker) === next.resolve) waitingPages.delete(marker);
    else await pause(chance.between(...AFTER_OTHERS_MS));
  }

  async function page(marker: string, behavior: PageBehavior, response: ServerResponse): Promise<void> {
    if (behavior === 'gone') {
      response.writeHead(404).end();
      return;
    }
    if (behavior === 'flaky' && shouldFail(`page ${marker}`)) {
      response.writeHead(503).end();
      return;
    }
    // Assigned before the wait, so that a hanging attempt has an older version than the next attempt.
    const version = (versions.get(marker) ?? 0) + 1;
    versions.set(marker, version);
    served.push({ marker, version, url: `${url}/page/${marker}/${behavior}`, at: Date.now() });
    if (behavior === 'slow') await pause(SLOW_MS);
    if (behavior === 'late') await awaitNextRequest(marker);
    if (behavior === 'hanging' && shouldFail(`page ${marker}`)) await forever();
    const body = textOf(marker, version);
    response.writeHead(200, {
      'content-type': 'text/markdown; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    if (behavior === 'dripping') {
      response.write(body.slice(0, 20));
      await pause(SLOW_MS);
      response.end(body.slice(20));
    } else {
      response.end(body);
    }
  }

  async function postback(
    marker: string,
    behavior: ReceiverBehavior,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const entry: ReceivedPostback = {
      marker,
      at: Date.now(),
      headers,
      body: await text(request),
      responseStatus: null,
    };
    received.push(entry);
    const message = `postback ${headers['webhook-id']}`;
    if (behavior === 'slow') await pause(SLOW_MS);
    if (behavior === 'hanging' && shouldFail(message)) await forever();
    const status = behavior === 'flaky' && shouldFail(message) ? 500 : 200;
    response.writeHead(status).end(() => {
      entry.responseStatus = status;
    });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind, marker = '', behavior = ''] = (request.url ?? '').split('/');
    if (kind === 'page' && isOneOf(pageBehaviors, behavior)) await page(marker, behavior, response);
    else if (kind === 'postback' && isOneOf(receiverBehaviors, behavior))
      await postback(marker, behavior, request, response);
    else response.writeHead(400).end();
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The site has no port.');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    port: address.port,
    pageUrl: (marker, behavior) => `${url}/page/${marker}/${behavior}`,
    receiverUrl: (marker, behavior) => `${url}/postback/${marker}/${behavior}`,
    served,
    received,
    stopFailures: () => healthy.abort(),
    async close() {
      healthy.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function isOneOf<Name extends string>(behaviors: Readonly<Record<Name, number>>, text: string): text is Name {
  return Object.hasOwn(behaviors, text);
}
