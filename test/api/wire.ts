/** Raw HTTP requests that `fetch` would not send, and bytes that are not HTTP. */
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { type ErrorBody, errorSchema } from '../../contract/resources.ts';
import { expectDocumented } from '../support/document.ts';

export interface WireResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Sends exactly this method, path, headers and bytes. @throws Error if the document does not have the response. */
export async function wire(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Uint8Array,
): Promise<WireResponse> {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const sending = request({ hostname, port, method, path, headers, agent });
  const received = once(sending, 'response');
  sending.end(body);
  const [message] = await received;
  const text = (await buffer(message)).toString('utf8');
  agent.destroy();
  const response = { status: message.statusCode ?? 0, headers: flat(message.headers), text };
  const seen = new Headers(response.headers);
  const json = seen.get('content-type')?.includes('json') === true && text !== '';
  const [plainPath = ''] = path.split('?');
  await expectDocumented({
    method,
    origin: url,
    path: plainPath,
    status: response.status,
    headers: seen,
    body: json ? JSON.parse(text) : text,
  });
  return response;
}

/** Sends bytes and returns the first response on the connection, which the server must close. */
export async function rawBytes(url: string, bytes: string): Promise<WireResponse> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(bytes, 'latin1');
  const all = (await buffer(socket)).toString('utf8');
  const end = all.indexOf('\r\n\r\n');
  const [first = '', ...lines] = all.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), text: all.slice(end + 4) };
}

const trpcErrorSchema = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    code: z.int(),
    data: z.strictObject({
      code: z.string(),
      httpStatus: z.int(),
      path: z.string().optional(),
      error: errorSchema.strict(),
    }),
  }),
});

/** The error object of a REST or tRPC response. @throws Error if the body has any other field. */
export function errorOf(response: WireResponse, protocol: 'rest' | 'trpc'): ErrorBody {
  const json: unknown = JSON.parse(response.text);
  if (protocol === 'rest') return errorSchema.strict().parse(json);
  const [first] = z.array(trpcErrorSchema).parse([json].flat());
  if (first === undefined) throw new Error('an empty batch');
  const { message, data } = first.error;
  if (message !== data.error.message || data.httpStatus !== data.error.code) throw new Error(response.text);
  return data.error;
}
