/** Procedures over REST and tRPC: the same rules and messages. */
import { type RestOperation, restOperations } from '../../apps/api/http/rest.ts';
import { appRouter } from '../../apps/api/routers/index.ts';
import { newUser, type TestUser } from '../support/client.ts';

const missing = '01890000-0000-7000-8000-000000000000';
let user: TestUser;
let ids: Record<string, string>;
beforeAll(async () => {
  user = await newUser();
  const { id } = await user.content('```ts\nconst a = 1;\n```');
  await user.reach(id, 'COMPLETED');
  const collection = await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C' });
  const artifacts = await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`);
  ids = {
    spaceId: user.spaceId,
    collectionId: collection.body.data.id,
    sourceId: id,
    artifactId: artifacts.body.data[0].id,
    keyId: missing,
  };
});

/** Calls through REST: path fields in the path, the others in the body or the query string. */
async function overRest({ type, meta }: RestOperation, input: Record<string, unknown>) {
  const rest = { ...input };
  const path = meta.rest.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return String(input[name]);
  });
  if (type === 'mutation')
    return user.call(meta.rest.method, `/v1${path}`, meta.rest.method === 'DELETE' ? undefined : rest);
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return user.call('GET', `/v1${path}?${query}`);
}

async function overTrpc({ name, type }: RestOperation, input: unknown) {
  if (type === 'mutation') return user.call('POST', `/trpc/${name}`, input);
  return user.call('GET', `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`);
}

/** Without streams, which events.test.ts tests. */
const operations = restOperations(appRouter)
  .filter(({ type }) => type !== 'subscription')
  .map((operation): [string, RestOperation] => [operation.name, operation]);
/** Path ids for an operation; unknown ids for deletions, since other tests need the resources. */
const idsOf = (operation: RestOperation) =>
  Object.fromEntries(
    Object.keys(operation.input?.shape ?? {}).flatMap((name) =>
      ids[name] === undefined || !operation.meta.rest.path.includes(`{${name}}`)
        ? []
        : [[name, operation.meta.rest.method === 'DELETE' ? missing : ids[name]]],
    ),
  );

test.each(operations.filter(([, { type }]) => type === 'query'))(
  '%s is the same in REST and tRPC',
  async (_, operation) => {
    const [rest, trpc] = await Promise.all([
      overRest(operation, idsOf(operation)),
      overTrpc(operation, idsOf(operation)),
    ]);
    expect([rest.status, trpc.status]).toEqual([200, 200]);
    const { envelope } = operation.meta.rest;
    expect(trpc.body.result.data).toEqual(envelope === 'data' ? rest.body.data : rest.body);
  },
);

test('batches of queries and of mutations return a result per call', async () => {
  const input = encodeURIComponent(JSON.stringify({ 1: { spaceId: user.spaceId }, 2: { spaceId: 'x' } }));
  const queries = await user.call('GET', `/trpc/spaces.list,spaces.get,spaces.get?batch=1&input=${input}`);
  expect(queries.status).toBe(207);
  expect(queries.body[0].result.data.data[0].id).toBe(user.spaceId);
  expect(queries.body[1].result.data.id).toBe(user.spaceId);
  expect(queries.body[2].error.data).toMatchObject({ httpStatus: 404, error: { message: 'There is no such space.' } });
  const mutations = await user.call('POST', '/trpc/spaces.create,spaces.create?batch=1', {
    0: { name: 'A' },
    1: { name: 'B' },
  });
  expect(mutations.status).toBe(200);
  expect(mutations.body.map((call: { result: { data: { name: string } } }) => call.result.data.name)).toEqual([
    'A',
    'B',
  ]);
});

test('5 MiB of text is accepted through tRPC', async () => {
  const input = {
    spaceId: user.spaceId,
    type: 'CONTENT',
    initial_data: { data: 'a'.repeat(5 * 1024 * 1024) },
    instructions: {},
  };
  const { status, body } = await user.call('POST', '/trpc/sources.create', input);
  expect({ status, size: body.result?.data.sizeBytes }).toEqual({ status: 200, size: 5 * 1024 * 1024 });
});

test('a 409 through tRPC has a Location', async () => {
  const input = {
    spaceId: user.spaceId,
    type: 'CONTENT',
    initial_data: { data: 'a' },
    instructions: {},
    externalId: 'one',
  };
  const first = await user.call('POST', '/trpc/sources.create', input);
  const second = await user.call('POST', '/trpc/sources.create', input);
  expect(second.status).toBe(409);
  expect(second.headers.get('location')).toBe(`/v1/sources/${first.body.result.data.id}`);
  expect(second.body.error.data.error.details[0].field).toBe('externalId');
});
