/** One operation of the document, called through both protocols. */
import type { Operation } from '../../../apps/api/openapi/types.ts';
import type { Answer, TestUser } from '../../support/client.ts';
import { expectDocumented } from '../../support/document.ts';
import type { Ids } from './places.ts';

export interface Endpoint {
  method: string;
  /** With parameters in braces. */
  path: string;
  operation: Operation;
}

export interface Input {
  ids: Ids;
  body?: Record<string, unknown>;
  query?: Record<string, unknown>;
}

export function parametersIn(endpoint: Endpoint, place: 'path' | 'query') {
  return (endpoint.operation.parameters ?? []).filter((parameter) => parameter.in === place);
}

function pathOf({ path }: Endpoint, { ids, query }: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`No test knows a good ${name}: test/api/contract/places.ts.`);
    return id;
  });
  if (query === undefined) return filled;
  return `${filled}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** Through REST; the answer is compared with the document on its way. */
export function overRest(
  user: Pick<TestUser, 'call'>,
  endpoint: Endpoint,
  input: Input,
  headers?: Record<string, string>,
): Promise<Answer> {
  return user.call(endpoint.method, pathOf(endpoint, input), input.body, headers);
}

/** Where an operation is called through tRPC, and with what. */
function trpcPlace(endpoint: Endpoint, { ids, body, query }: Input): { path: string; input: Record<string, unknown> } {
  const inPath = parametersIn(endpoint, 'path').map(({ name }) => [name, ids[name]]);
  return {
    path: `/trpc/${endpoint.operation.operationId}`,
    input: { ...query, ...body, ...Object.fromEntries(inPath) },
  };
}

/** Through tRPC, by the operation's id; queries by GET. */
export async function overTrpc(
  user: Pick<TestUser, 'call'>,
  endpoint: Endpoint,
  given: Input,
  headers?: Record<string, string>,
): Promise<Answer> {
  const { path, input } = trpcPlace(endpoint, given);
  if (endpoint.method !== 'GET') return user.call('POST', path, input, headers);
  const place = `${path}?input=${encodeURIComponent(JSON.stringify(input))}`;
  const answer = await user.call('GET', place, undefined, headers);
  // tRPC tells the refusal of a stream inside the stream.
  const refusal = /^event: serialized-error\ndata: (.*)$/m.exec(String(answer.body))?.[1];
  if (refusal === undefined) return answer;
  const error = JSON.parse(refusal);
  return { ...answer, status: error.data.httpStatus, body: { error } };
}

/** The first event of a stream through each protocol; REST's is compared with the document. */
export async function firstEvents(user: TestUser, endpoint: Endpoint, given: Input): Promise<string[]> {
  const { path, input } = trpcPlace(endpoint, given);
  const rest = pathOf(endpoint, given);
  return Promise.all(
    [rest, `${path}?input=${encodeURIComponent(JSON.stringify(input))}`].map(async (place) => {
      const abort = new AbortController();
      const response = await fetch(user.apiUrl + place, {
        headers: { authorization: `Bearer ${user.key}`, accept: 'text/event-stream' },
        signal: abort.signal,
      });
      let text = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (/^data: /m.test(text)) break;
      }
      abort.abort();
      const { status, headers } = response;
      const answer = { method: endpoint.method, origin: user.apiUrl, path: place, status, headers, body: text };
      if (place === rest) await expectDocumented(answer);
      return `${headers.get('content-type')} ${text}`;
    }),
  );
}

/** The result of a tRPC call as REST would have sent it. @throws Error when that does not fit the document. */
export async function expectSameShape(user: TestUser, endpoint: Endpoint, status: number, answer: Answer) {
  const { result } = answer.body;
  const content = endpoint.operation.responses[status];
  const hasBody = content !== undefined && 'content' in content;
  const fits = (body: unknown) =>
    expectDocumented({
      method: endpoint.method,
      origin: user.apiUrl,
      path: endpoint.path,
      status,
      headers: answer.headers,
      body,
    });
  if (!hasBody) return fits('');
  // Some results are enveloped by REST, the others are sent as they are.
  await fits({ data: result.data }).catch(() => fits(result.data));
}
