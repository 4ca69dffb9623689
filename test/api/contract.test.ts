/**
 * A walk over the document: every operation without a key, with somebody else's ids, with every input that its schema
 * forbids, and well; through REST and tRPC, which have to say the same.
 */
import { openApiDocument } from '../../apps/api/openapi/document.ts';
import type { JsonSchema } from '../../apps/api/openapi/types.ts';
import { appRouter } from '../../apps/api/routers/index.ts';
import { type Answer, send, type TestUser } from '../support/client.ts';
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

/** The document's own example of a body. */
function exampleOf({ operation }: Endpoint): Record<string, unknown> | undefined {
  const example = operation.requestBody?.content['application/json']?.example;
  return typeof example === 'object' && example !== null ? { ...example } : undefined;
}

function inputFor(endpoint: Endpoint, change: Partial<Input> = {}): Input {
  const body = exampleOf(endpoint);
  return { ids, ...(body === undefined ? {} : { body }), ...change };
}

/** The error of an answer in either protocol's place. */
const errorOf = (answer: Answer) => answer.body.error?.data?.error ?? answer.body;

test('the document that is served is the one that is walked', async () => {
  expect((await send(`${apiUrl}/openapi.json`, 'GET')).body).toEqual(JSON.parse(JSON.stringify(document)));
});

test('what good calls need is written down for operations that there are', () => {
  const names = endpoints.map(([name]) => name);
  expect(Object.keys(goodCalls).filter((name) => !names.includes(name))).toEqual([]);
});

test('operations that change something need more than a key that may only read, and most name what they work on', () => {
  const open = endpoints.filter(
    ([, { method, operation }]) => method !== 'GET' && operation.responses[403] === undefined,
  );
  expect(open.map(([name]) => name)).toEqual([]);
  expect(endpoints.filter(([, endpoint]) => parametersIn(endpoint, 'path').length > 0).length).toBeGreaterThan(30);
});

describe.each(endpoints)('%s', (name, endpoint) => {
  test('401 without a key, with WWW-Authenticate', async () => {
    const nobody: Pick<TestUser, 'call'> = {
      call: (method, path, body, headers) =>
        send(`${apiUrl}${path}`, method, { body, ...(headers ? { headers } : {}) }),
    };
    const input = inputFor(endpoint);
    for (const answer of await Promise.all([overRest(nobody, endpoint, input), overTrpc(nobody, endpoint, input)])) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(errorOf(answer)).toMatchObject({ error: 'Unauthorized', code: 401 });
    }
  });

  const needsMore = endpoint.operation.responses[403] !== undefined;
  if (needsMore)
    test('403 with a key that may only read', async () => {
      const headers = { authorization: `Bearer ${readKey}` };
      const input = inputFor(endpoint);
      const answers = [overRest(user, endpoint, input, headers), overTrpc(user, endpoint, input, headers)];
      for (const answer of await Promise.all(answers)) expect(errorOf(answer)).toMatchObject({ code: 403 });
    });

  const identified = parametersIn(endpoint, 'path');
  if (identified.length > 0)
    test('404 for ids of somebody else, word for word like ids of nothing', async () => {
      for (const { name } of identified) {
        const input = (id: string | undefined) => inputFor(endpoint, { ids: { ...ids, [name]: id ?? '' } });
        const answers = await Promise.all([
          overRest(user, endpoint, input(missing)),
          overRest(user, endpoint, input(others[name])),
          overRest(user, endpoint, input('x')),
          overTrpc(user, endpoint, input(missing)),
          overTrpc(user, endpoint, input(others[name])),
          overTrpc(user, endpoint, input('x')),
        ]);
        const [nothing] = answers;
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
        for (const answer of answers) expect(errorOf(answer)).toEqual(nothing?.body);
        const names = answers.slice(0, 3).map(({ headers }) => [...headers.keys()].sort());
        expect(names).toEqual(names.map(() => names[0]));
      }
    });

  test('400 for each input that its schema forbids, naming the field, the same through both protocols', async () => {
    const takesQuery = endpoint.method === 'GET' || endpoint.method === 'DELETE';
    const nothing = takesQuery ? {} : { type: 'object', additionalProperties: false };
    const schema: JsonSchema = endpoint.operation.requestBody?.content['application/json']?.schema ?? nothing;
    const good = exampleOf(endpoint) ?? {};
    const bodies = badInputs(schema, good).map((bad) => ({ ...bad, input: inputFor(endpoint, { body: bad.input }) }));
    const parameters = [
      ...parametersIn(endpoint, 'query').flatMap(({ name, schema }) => badParameter(name, schema)),
      ...(takesQuery ? [{ what: 'an unknown parameter', field: 'nonsense', input: { nonsense: 'x' } }] : []),
    ].map((bad) => ({ ...bad, input: inputFor(endpoint, { query: bad.input }) }));
    const cases = [...bodies, ...parameters];
    expect(cases).not.toEqual([]);
    const wrong: unknown[] = [];
    await Promise.all(
      cases.map(async ({ what, field, input }) => {
        const [rest, trpc] = await Promise.all([overRest(user, endpoint, input), overTrpc(user, endpoint, input)]);
        const { code, details = [] } = rest.body;
        const named = details.some((detail: { field: string }) => detail.field === field);
        if (code !== 400 || !named) wrong.push({ what, status: rest.status, body: rest.body });
        else expect({ what, error: errorOf(trpc) }).toEqual({ what, error: rest.body });
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('a good call, whose answer fits the document', async () => {
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
    expect({ ok: rest.status >= 200 && rest.status < 300, refusal: rest.body.error && rest.body }).toEqual({
      ok: true,
      refusal: undefined,
    });
    const trpc = await overTrpc(user, endpoint, await call());
    for (const { headers } of [rest, trpc]) expect(headers.get('ratelimit-limit')).toMatch(/^\d+$/);
    expect({ status: trpc.status, error: trpc.body.error }).toEqual({ status: 200, error: undefined });
    await expectSameShape(user, endpoint, rest.status, trpc);
  });
});
