/**
 * The outside world of a storm: pages to fetch and receivers of postbacks, some of them slow, failing at first or
 * silent. How a path behaves stands in it: /page/<marker>/<manner>, /postback/<marker>/<manner>. Once the weather is
 * over, everything answers.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createChance } from './chance.ts';
import { textOf } from './text.ts';

/**
 * `flaky` fails twice before it is well; `hanging` leaves two requests without an answer; `gone` is 404 for ever; `late`
 * answers some time after it has been asked once more, which it answers at once: who was taken for dead comes last.
 */
export const pageManners = { quick: 4, slow: 3, late: 6, dripping: 2, flaky: 2, hanging: 2, gone: 1 } as const;
export type PageManner = keyof typeof pageManners;
export const receiverManners = { quick: 5, slow: 2, flaky: 3, hanging: 1 } as const;
export type ReceiverManner = keyof typeof receiverManners;

const TROUBLES = 2;
const SLOW_MS = 2_500;
/** Longer than a heartbeat's time-out: of a worker that is taken for dead it is there when another one fetches, too. */
const LATE_MS = 30_000;
/** The other one has written what it fetched then and goes on with it, and has not ended yet. */
const AFTER_OTHERS_MS = [50, 350] as const;

export interface Served {
  marker: string;
  version: number;
  /** The address of the page. */
  url: string;
  at: number;
}

export interface ReceivedPostback {
  marker: string;
  at: number;
  headers: Record<string, string>;
  body: string;
  /** Null while it has no answer, and where the client went away before it. */
  answered: number | null;
}

export interface Outside {
  port: number;
  pageUrl(marker: string, manner: PageManner): string;
  receiverUrl(marker: string, manner: ReceiverManner): string;
  /** Each version that was begun to be served. */
  served: Served[];
  received: ReceivedPostback[];
  /** From here on everything answers at once, also what is waiting. */
  calm(): void;
  close(): Promise<void>;
}

export async function startOutside(seed: number): Promise<Outside> {
  const chance = createChance(seed, 'outside');
  const served: Served[] = [];
  const received: ReceivedPostback[] = [];
  const versions = new Map<string, number>();
  const troubles = new Map<string, number>();
  /** By page, what ends the wait of the request that came before. */
  const askedAgain = new Map<string, () => void>();
  const calm = new AbortController();

  const pause = (ms: number) => delay(ms, undefined, { signal: calm.signal }).catch(() => undefined);
  const forEver = () => pause(2 ** 31 - 1);
  /** Whether this one of the requests of the same kind is one that goes wrong. */
  function isTrouble(key: string): boolean {
    const count = (troubles.get(key) ?? 0) + 1;
    troubles.set(key, count);
    return count <= TROUBLES && !calm.signal.aborted;
  }

  /** Returns at once where another request waits here; that one goes on some time after this. */
  async function untilAfterOthers(marker: string): Promise<void> {
    const waiting = askedAgain.get(marker);
    if (waiting !== undefined) {
      askedAgain.delete(marker);
      waiting();
      return;
    }
    const again = Promise.withResolvers<void>();
    askedAgain.set(marker, again.resolve);
    await Promise.race([again.promise, pause(LATE_MS)]);
    if (askedAgain.get(marker) === again.resolve) askedAgain.delete(marker);
    else await pause(chance.between(...AFTER_OTHERS_MS));
  }

  async function page(marker: string, manner: PageManner, response: ServerResponse): Promise<void> {
    if (manner === 'gone') {
      response.writeHead(404).end();
      return;
    }
    if (manner === 'flaky' && isTrouble(`page ${marker}`)) {
      response.writeHead(503).end();
      return;
    }
    // Before the wait: an attempt that hangs has an older version than the one that follows it.
    const version = (versions.get(marker) ?? 0) + 1;
    versions.set(marker, version);
    served.push({ marker, version, url: `${url}/page/${marker}/${manner}`, at: Date.now() });
    if (manner === 'slow') await pause(SLOW_MS);
    if (manner === 'late') await untilAfterOthers(marker);
    if (manner === 'hanging' && isTrouble(`page ${marker}`)) await forEver();
    const body = textOf(marker, version);
    response.writeHead(200, {
      'content-type': 'text/markdown; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    if (manner === 'dripping') {
      response.write(body.slice(0, 20));
      await pause(SLOW_MS);
      response.end(body.slice(20));
    } else {
      response.end(body);
    }
  }

  async function postback(marker: string, manner: ReceiverManner, request: IncomingMessage, response: ServerResponse) {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const entry: ReceivedPostback = { marker, at: Date.now(), headers, body: await text(request), answered: null };
    received.push(entry);
    const message = `postback ${headers['webhook-id']}`;
    if (manner === 'slow') await pause(SLOW_MS);
    if (manner === 'hanging' && isTrouble(message)) await forEver();
    const status = manner === 'flaky' && isTrouble(message) ? 500 : 200;
    response.writeHead(status).end(() => {
      entry.answered = status;
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, kind, marker = '', manner = ''] = (request.url ?? '').split('/');
    if (kind === 'page' && isOneOf(pageManners, manner)) await page(marker, manner, response);
    else if (kind === 'postback' && isOneOf(receiverManners, manner)) await postback(marker, manner, request, response);
    else response.writeHead(400).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The site has no port.');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    port: address.port,
    pageUrl: (marker, manner) => `${url}/page/${marker}/${manner}`,
    receiverUrl: (marker, manner) => `${url}/postback/${marker}/${manner}`,
    served,
    received,
    calm: () => calm.abort(),
    async close() {
      calm.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function isOneOf<Name extends string>(manners: Readonly<Record<Name, number>>, text: string): text is Name {
  return Object.hasOwn(manners, text);
}
