/** One operation of the document, called through both protocols. */
import type { Operation } from '../../../apps/api/openapi/types.ts';
import type { ApiResponse, TestUser } from '../../support/client.ts';
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

export function parametersIn(endpoint: Endpoint, location: 'path' | 'query') {
  return (endpoint.operation.parameters ?? []).filter((parameter) => parameter.in === location);
}

function pathOf({ path }: Endpoint, { ids, query }: Input): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`test/api/contract/places.ts has no value for ${name}.`);
    return id;
  });
  if (query === undefined) return filled;
  return `${filled}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** Calls through REST; `user.call` compares the response with the document. */
export function overRest(
  user: Pick<TestUser, 'call'>,
  endpoint: Endpoint,
  input: Input,
  headers?: Record<string, string>,
): Promise<ApiResponse> {
  return user.call(endpoint.method, pathOf(endpoint, input), input.body, headers);
}

/** Path and input of an operation in tRPC. */
function trpcTarget(endpoint: Endpoint, { ids, body, query }: Input): { path: string; input: Record<string, unknown> } {
  const inPath = parametersIn(endpoint, 'path').map(({ name }) => [name, ids[name]]);
  return {
    path: `/trpc/${endpoint.operation.operationId}`,
    input: { ...query, ...body, ...Object.fromEntries(inPath) },
  };
}

/** Calls through tRPC, by operationId; queries by GET. */
export async function overTrpc(
  user: Pick<TestUser, 'call'>,
  endpoint: Endpoint,
  given: Input,
  headers?: Record<string, string>,
): Promise<ApiResponse> {
  const { path, input } = trpcTarget(endpoint, given);
  if (endpoint.method !== 'GET') return user.call('POST', path, input, headers);
  const url = `${path}?input=${encodeURIComponent(JSON.stringify(input))}`;
  const response = await user.call('GET', url, undefined, headers);
  // tRPC sends the error of a stream as an event.
  const sentError = /^event: serialized-error\ndata: (.*)$/m.exec(String(response.body))?.[1];
  if (sentError === undefined) return response;
  const error = JSON.parse(sentError);
  return { ...response, status: error.data.httpStatus, body: { error } };
}

/** The first event of a stream through each protocol; REST's is compared with the document. */
export async function firstEvents(user: TestUser, endpoint: Endpoint, given: Input): Promise<string[]> {
  const { path, input } = trpcTarget(endpoint, given);
  const rest = pathOf(endpoint, given);
  return Promise.all(
    [rest, `${path}?input=${encodeURIComponent(JSON.stringify(input))}`].map(async (url) => {
      const abort = new AbortController();
      const response = await fetch(user.apiUrl + url, {
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
      const exchange = { method: endpoint.method, origin: user.apiUrl, path: url, status, headers, body: text };
      if (url === rest) await expectDocumented(exchange);
      return `${headers.get('content-type')} ${text}`;
    }),
  );
}

/** Compares the result of a tRPC call with the REST response. @throws Error if the document does not have it. */
export async function expectSameShape(user: TestUser, endpoint: Endpoint, status: number, response: ApiResponse) {
  const { result } = response.body;
  const content = endpoint.operation.responses[status];
  const hasBody = content !== undefined && 'content' in content;
  const expectBody = (body: unknown) =>
    expectDocumented({
      method: endpoint.method,
      origin: user.apiUrl,
      path: endpoint.path,
      status,
      headers: response.headers,
      body,
    });
  if (!hasBody) return expectBody('');
  // REST wraps some results in `data`, and sends the others unchanged.
  await expectBody({ data: result.data }).catch(() => expectBody(result.data));
}
