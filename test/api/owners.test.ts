/** Two owners who cannot see each other: what is somebody else's answers word for word like what is not there. */

import { restOperations } from '../../apps/api/rest.ts';
import { appRouter } from '../../apps/api/routers/index.ts';
import { newUser, type TestUser } from '../support/client.ts';

const missing = '01890000-0000-7000-8000-000000000000';
let user: TestUser;
let others: Record<string, string>;

beforeAll(async () => {
  user = await newUser();
  const other = await newUser();
  const source = await other.content('```ts\nconst a = 1;\n```');
  await other.reach(source.id, 'COMPLETED');
  const collection = await other.call('POST', `/v1/spaces/${other.spaceId}/collections`, { name: 'C' });
  const artifacts = await other.call('GET', `/v1/spaces/${other.spaceId}/artifacts`);
  const keys = await other.call('GET', '/v1/api-keys');
  others = {
    spaceId: other.spaceId,
    collectionId: collection.body.data.id,
    sourceId: source.id,
    artifactId: artifacts.body.data[0].id,
    keyId: keys.body.data[0].id,
  };
});

/** A body that is good in all but the id. */
const bodies: Record<string, object> = {
  'spaces.update': { name: 'S' },
  'collections.create': { name: 'C' },
  'sources.create': { type: 'CONTENT', initial_data: { data: 'a' }, instructions: {} },
};

const operations = restOperations(appRouter)
  .filter(({ meta }) => meta.rest.path.includes('{'))
  .map(({ name, meta }): [string, string, string] => [name, meta.rest.method, meta.rest.path]);

test('every kind of id is tried', () => {
  const named = operations.flatMap(([, , path]) => path.match(/\w+(?=\})/g) ?? []);
  expect([...new Set(named)].sort()).toEqual(['artifactId', 'collectionId', 'keyId', 'sourceId', 'spaceId']);
});

test.each(operations)('%s (%s %s)', async (name, method, path) => {
  const at = (id: (parameter: string) => string) =>
    `/v1${path.replaceAll(/\{(\w+)\}/g, (_, parameter) => id(parameter))}`;
  const body = bodies[name] ?? (method === 'POST' ? {} : undefined);
  const [nothing, theirs] = await Promise.all([
    user.call(
      method,
      at(() => missing),
      body,
    ),
    user.call(
      method,
      at((parameter) => others[parameter] ?? ''),
      body,
    ),
  ]);
  expect(nothing.status).toBe(404);
  expect({ status: theirs.status, body: theirs.body }).toEqual({ status: nothing.status, body: nothing.body });
  const names = (headers: Headers) => [...headers.keys()].sort();
  expect(names(theirs.headers)).toEqual(names(nothing.headers));
});

test('lists show what is one’s own', async () => {
  const spaces = await user.call('GET', '/v1/spaces');
  expect(spaces.body.data.map(({ id }: { id: string }) => id)).toEqual([user.spaceId]);
  const keys = await user.call('GET', '/v1/api-keys');
  expect(keys.body.data).toHaveLength(1);
});
