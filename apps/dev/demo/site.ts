/** External server of the demo: a page, a page that never responds, and a postback receiver. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { articlePage } from './content.ts';

export interface Postback {
  /** Why the signature is invalid; null if it is valid. */
  signatureError: string | null;
  body: unknown;
}

export interface Site {
  articleUrl: string;
  hangingUrl: string;
  postbackUrl: string;
  postbacks: readonly Postback[];
  /** When a request for the hanging page arrived, and when its client disconnected, in ms since 1970. */
  hanging: { arrivedAt: number | null; abortedAt: number | null };
  /** Sets the secret for the verification of postbacks. */
  setSecret(secret: string): void;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function headersOf(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

export async function startSite(port: number): Promise<Site> {
  const url = `http://127.0.0.1:${port}`;
  const postbacks: Postback[] = [];
  const hanging: Site['hanging'] = { arrivedAt: null, abortedAt: null };
  let webhook: Webhook | undefined;

  /** Verifies the raw body: the signature covers its exact bytes. */
  function verify(body: string, request: IncomingMessage): Postback {
    try {
      if (webhook === undefined) throw new Error('it arrived before the secret was known');
      return { signatureError: null, body: webhook.verify(body, headersOf(request)) };
    } catch (error) {
      return { signatureError: error instanceof Error ? error.message : String(error), body: null };
    }
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/article') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(articlePage);
    } else if (request.url === '/hanging') {
      hanging.arrivedAt = Date.now();
      response.once('close', () => {
        hanging.abortedAt = Date.now();
      });
    } else if (request.url === '/postback' && request.method === 'POST') {
      const postback = verify(await readBody(request), request);
      postbacks.push(postback);
      response.writeHead(postback.signatureError === null ? 204 : 401).end();
    } else {
      response.writeHead(404).end();
    }
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    articleUrl: `${url}/article`,
    hangingUrl: `${url}/hanging`,
    postbackUrl: `${url}/postback`,
    postbacks,
    hanging,
    setSecret(secret) {
      webhook = new Webhook(secret);
    },
  };
}
