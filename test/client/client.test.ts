import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, type Client, createClient, idempotencyKey, waitForSource } from '../../client/index.ts';
import { newUser, type TestUser } from '../support/client.ts';

let user: TestUser;
let api: Client;
beforeAll(async () => {
  user = await newUser();
  api = createClient({ url: `${user.apiUrl}/`, apiKey: user.key });
});

/** The ApiError of a call that fails. */
async function apiErrorOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`no ApiError: ${error}`);
}

const content = (text: string) => ({
  spaceId: user.spaceId,
  type: 'CONTENT' as const,
  initial_data: { data: text },
  instructions: {},
});

test('calls are typed and return results', async () => {
  const space = await api.spaces.create.mutate({ name: 'Typed' });
  expect((await api.spaces.get.query({ spaceId: space.id })).sourceCounts.COMPLETED).toBe(0);
  // @ts-expect-error a number is not a name, neither for the compiler nor for the service
  expect((await apiErrorOf(api.spaces.create.mutate({ name: 1 }))).code).toBe(400);
});

test('error responses are ApiErrors with status, details, request id and location', async () => {
  const bad = await apiErrorOf(api.spaces.create.mutate({ name: '' }));
  expect(bad).toMatchObject({
    code: 400,
    message: 'The request is not valid.',
    details: [{ field: 'name', message: 'Must have 1 to 200 characters.' }],
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    retryAfter: undefined,
  });
  const first = await api.sources.create.mutate({ ...content('a'), externalId: 'typed' });
  const conflict = await apiErrorOf(api.sources.create.mutate({ ...content('a'), externalId: 'typed' }));
  expect(conflict).toMatchObject({ code: 409, location: `/v1/sources/${first.id}` });
  const stranger = createClient({ url: user.apiUrl, apiKey: 'cws_nobody' });
  expect((await apiErrorOf(stranger.spaces.list.query({}))).code).toBe(401);
});

test('a call repeated with its Idempotency-Key returns the same source; with other input it is 422', async () => {
  const key = randomUUID();
  const [first, second] = [
    await api.sources.create.mutate(content('once'), idempotencyKey(key)),
    await api.sources.create.mutate(content('once'), idempotencyKey(key)),
  ];
  expect(second.id).toBe(first.id);
  expect((await apiErrorOf(api.sources.create.mutate(content('twice'), idempotencyKey(key)))).code).toBe(422);
});

test('waitForSource returns the completed source', async () => {
  const { id } = await api.sources.create.mutate(content('# Waited for'));
  expect(await waitForSource(api, id)).toMatchObject({ status: 'COMPLETED', context: { title: 'Waited for' } });
});

test('a subscription receives changes; a rejected one throws the ApiError', async () => {
  const { id } = await api.sources.create.mutate(content('# Followed'));
  const seen: string[] = [];
  for await (const { data } of api.sources.events.subscribe({ sourceId: id })) {
    if (data.event !== 'source') continue;
    seen.push(data.source.status);
    if (data.source.status === 'COMPLETED') break;
  }
  expect(seen.at(-1)).toBe('COMPLETED');
  const unknownId = '01890000-0000-7000-8000-000000000000';
  const rejected = (async () => {
    for await (const _ of api.sources.events.subscribe({ sourceId: unknownId })) return;
  })();
  expect(await apiErrorOf(rejected)).toMatchObject({ code: 404, message: 'There is no such source.' });
});

test('a 429 is thrown, or repeated after Retry-After within waitWhenLimited', async () => {
  let calls = 0;
  const body = { message: 'Too many requests.', code: -32029, data: { error: { message: 'Too many.', code: 429 } } };
  const server = createServer((_, response) => {
    calls += 1;
    if (calls <= 3) {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end(JSON.stringify({ error: body }));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ result: { data: { data: [], nextCursor: null } } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const limited = { url: `http://127.0.0.1:${port}`, apiKey: user.key };
  try {
    const error = await apiErrorOf(createClient(limited).spaces.list.query({}));
    expect(error).toMatchObject({ code: 429, message: 'Too many.', retryAfter: 1 });
    expect(calls).toBe(1);
    const begun = Date.now();
    const { data } = await createClient({ ...limited, waitWhenLimited: 5 }).spaces.list.query({});
    expect(data).toEqual([]);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_900);
    calls = 0;
    expect((await apiErrorOf(createClient({ ...limited, waitWhenLimited: 1 }).spaces.list.query({}))).code).toBe(429);
    expect(calls).toBe(2);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('an unreachable service is not an ApiError', async () => {
  const nowhere = createClient({ url: 'http://127.0.0.1:9', apiKey: user.key });
  const error: unknown = await nowhere.spaces.list.query({}).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(ApiError);
});
