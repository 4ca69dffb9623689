/** Requests as they go over the wire: what `fetch` would not send, and bytes that are no request at all. */
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { type ErrorBody, errorSchema } from '../../contract/resources.ts';
import { expectDocumented } from '../support/document.ts';

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Sends exactly this method, path, headers and bytes. @throws Error when the answer is not as documented. */
export async function wire(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Uint8Array,
): Promise<WireAnswer> {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const sending = request({ hostname, port, method, path, headers, agent });
  const answered = once(sending, 'response');
  sending.end(body);
  const [response] = await answered;
  const text = (await buffer(response)).toString('utf8');
  agent.destroy();
  const answer = { status: response.statusCode ?? 0, headers: flat(response.headers), text };
  const seen = new Headers(answer.headers);
  const json = seen.get('content-type')?.includes('json') === true && text !== '';
  const [plainPath = ''] = path.split('?');
  await expectDocumented({
    method,
    origin: url,
    path: plainPath,
    status: answer.status,
    headers: seen,
    body: json ? JSON.parse(text) : text,
  });
  return answer;
}

/** Sends bytes and returns the first answer on the connection, which the server has to close. */
export async function rawBytes(url: string, bytes: string): Promise<WireAnswer> {
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

/** The error body of an answer, in whichever of the two shapes it came; nothing else may stand in it. */
export function errorOf(answer: WireAnswer, protocol: 'rest' | 'trpc'): ErrorBody {
  const json: unknown = JSON.parse(answer.text);
  if (protocol === 'rest') return errorSchema.strict().parse(json);
  const [first] = z.array(trpcErrorSchema).parse([json].flat());
  if (first === undefined) throw new Error('an empty batch');
  const { message, data } = first.error;
  if (message !== data.error.message || data.httpStatus !== data.error.code) throw new Error(answer.text);
  return data.error;
}
