/**
 * Every operation of the OpenAPI document: without a key, with another owner's ids, with each input that its schema
 * forbids, and with valid input; through REST and tRPC, with the same results.
 */
import { openApiDocument } from '../../apps/api/openapi/document.ts';
import type { JsonSchema } from '../../apps/api/openapi/types.ts';
import { appRouter } from '../../apps/api/routers/index.ts';
import { type ApiResponse, send, type TestUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { badInputs, badParameter } from './contract/bad-values.ts';
import {
  type Endpoint,
  expectSameShape,
  firstEvents,
  type Input,
  overRest,
  overTrpc,
  parametersIn,
} from './contract/calls.ts';
import { goodCalls, type Ids, prepareOwner } from './contract/places.ts';

const { apiUrl } = stack();
const document = openApiDocument(appRouter, apiUrl);

const endpoints = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Endpoint] => [
      operation.operationId,
      { method: method.toUpperCase(), path, operation },
    ]),
  );
const streams = ({ operation }: Endpoint) => JSON.stringify(operation.responses).includes('text/event-stream');

let user: TestUser;
let ids: Ids;
let others: Ids;
let readKey: string;
beforeAll(async () => {
  const [owner, other] = await Promise.all([prepareOwner(), prepareOwner()]);
  ({ user, ids } = owner);
  others = other.ids;
  readKey = (await user.call('POST', '/v1/api-keys', { name: 'Reads', scopes: ['read'] })).body.data.key;
});

const missing = '01890000-0000-7000-8000-000000000000';

/** The document's example of a body. */
function exampleOf({ operation }: Endpoint): Record<string, unknown> | undefined {
  const example = operation.requestBody?.content['application/json']?.example;
  return typeof example === 'object' && example !== null ? { ...example } : undefined;
}

function inputFor(endpoint: Endpoint, change: Partial<Input> = {}): Input {
  const body = exampleOf(endpoint);
  return { ids, ...(body === undefined ? {} : { body }), ...change };
}

/** The error object of a REST or tRPC response. */
const errorOf = (response: ApiResponse) => response.body.error?.data?.error ?? response.body;

test('the tested document is the one served at /openapi.json', async () => {
  expect((await send(`${apiUrl}/openapi.json`, 'GET')).body).toEqual(JSON.parse(JSON.stringify(document)));
});

test('every entry of goodCalls names an existing operation', () => {
  const names = endpoints.map(([name]) => name);
  expect(Object.keys(goodCalls).filter((name) => !names.includes(name))).toEqual([]);
});

test('every operation but GET documents 403 for read keys, and more than 30 have ids in the path', () => {
  const open = endpoints.filter(
    ([, { method, operation }]) => method !== 'GET' && operation.responses[403] === undefined,
  );
  expect(open.map(([name]) => name)).toEqual([]);
  expect(endpoints.filter(([, endpoint]) => parametersIn(endpoint, 'path').length > 0).length).toBeGreaterThan(30);
});

describe.each(endpoints)('%s', (name, endpoint) => {
  test('401 without a key, with WWW-Authenticate', async () => {
    const anonymous: Pick<TestUser, 'call'> = {
      call: (method, path, body, headers) =>
        send(`${apiUrl}${path}`, method, { body, ...(headers ? { headers } : {}) }),
    };
    const input = inputFor(endpoint);
    const responses = [overRest(anonymous, endpoint, input), overTrpc(anonymous, endpoint, input)];
    for (const response of await Promise.all(responses)) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(errorOf(response)).toMatchObject({ error: 'Unauthorized', code: 401 });
    }
  });

  const needsWrite = endpoint.operation.responses[403] !== undefined;
  if (needsWrite)
    test('403 with a key of scope read', async () => {
      const headers = { authorization: `Bearer ${readKey}` };
      const input = inputFor(endpoint);
      const responses = [overRest(user, endpoint, input, headers), overTrpc(user, endpoint, input, headers)];
      for (const response of await Promise.all(responses)) expect(errorOf(response)).toMatchObject({ code: 403 });
    });

  const pathIds = parametersIn(endpoint, 'path');
  if (pathIds.length > 0)
    test('404 for another owner’s ids, identical to the 404 for unknown and malformed ids', async () => {
      for (const { name } of pathIds) {
        const input = (id: string | undefined) => inputFor(endpoint, { ids: { ...ids, [name]: id ?? '' } });
        const responses = await Promise.all([
          overRest(user, endpoint, input(missing)),
          overRest(user, endpoint, input(others[name])),
          overRest(user, endpoint, input('x')),
          overTrpc(user, endpoint, input(missing)),
          overTrpc(user, endpoint, input(others[name])),
          overTrpc(user, endpoint, input('x')),
        ]);
        const [nothing] = responses;
        expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
        for (const response of responses) expect(errorOf(response)).toEqual(nothing?.body);
        const names = responses.slice(0, 3).map(({ headers }) => [...headers.keys()].sort());
        expect(names).toEqual(names.map(() => names[0]));
      }
    });

  test('400 for each input that its schema forbids, with the field in details, the same in REST and tRPC', async () => {
    const takesQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE';
    const nothing = takesQuery ? {} : { type: 'object', additionalProperties: false };
    const schema: JsonSchema = endpoint.operation.requestBody?.content['application/json']?.schema ?? nothing;
    const good = exampleOf(endpoint) ?? {};
    const bodies = badInputs(schema, good).map((bad) => ({ ...bad, input: inputFor(endpoint, { body: bad.input }) }));
    const parameters = [
      ...parametersIn(endpoint, 'query').flatMap(({ name, schema }) => badParameter(name, schema)),
      ...(takesQuery ? [{ problem: 'an unknown parameter', field: 'nonsense', input: { nonsense: 'x' } }] : []),
    ].map((bad) => ({ ...bad, input: inputFor(endpoint, { query: bad.input }) }));
    const cases = [...bodies, ...parameters];
    expect(cases).not.toEqual([]);
    const wrong: unknown[] = [];
    await Promise.all(
      cases.map(async ({ problem, field, input }) => {
        const [rest, trpc] = await Promise.all([overRest(user, endpoint, input), overTrpc(user, endpoint, input)]);
        const { code, details = [] } = rest.body;
        const named = details.some((detail: { field: string }) => detail.field === field);
        if (code !== 400 || !named) wrong.push({ problem, status: rest.status, body: rest.body });
        else expect({ problem, error: errorOf(trpc) }).toEqual({ problem, error: rest.body });
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('a valid call, with a response as documented in REST and tRPC', async () => {
    if (streams(endpoint)) {
      const first = expect.stringMatching(/^text\/event-stream(.|\n)*^data: /m);
      expect(await firstEvents(user, endpoint, inputFor(endpoint))).toEqual([first, first]);
      return;
    }
    const call = async () => {
      const special = (await goodCalls[name]?.(user, ids)) ?? {};
      return inputFor(endpoint, { ...special, ids: { ...ids, ...special.ids } });
    };
    const rest = await overRest(user, endpoint, await call());
    expect({ ok: rest.status >= 200 && rest.status < 300, error: rest.body.error && rest.body }).toEqual({
      ok: true,
      error: undefined,
    });
    const trpc = await overTrpc(user, endpoint, await call());
    for (const { headers } of [rest, trpc]) expect(headers.get('ratelimit-limit')).toMatch(/^\d+$/);
    expect({ status: trpc.status, error: trpc.body.error }).toEqual({ status: 200, error: undefined });
    await expectSameShape(user, endpoint, rest.status, trpc);
  });
});
