import { z } from 'zod';
import { type CollectionNode, collectionNodeSchema, collectionSchema } from '../../contract/resources.ts';
import { newUser, type TestUser } from '../support/client.ts';

async function create(user: TestUser, name: string, parentId: string | null = null): Promise<string> {
  const { status, body } = await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name, parentId });
  expect(status).toBe(201);
  return z.strictObject({ data: collectionSchema.strict() }).parse(body).data.id;
}

async function tree(user: TestUser): Promise<CollectionNode[]> {
  const { status, body } = await user.call('GET', `/v1/spaces/${user.spaceId}/collections`);
  expect(status).toBe(200);
  return z.strictObject({ data: z.array(collectionNodeSchema.strict()) }).parse(body).data;
}

type Names = { [name: string]: Names };
const names = (nodes: CollectionNode[]): Names =>
  Object.fromEntries(nodes.map(({ name, children }) => [name, names(children)]));

test('collections are listed as a whole tree, siblings by name', async () => {
  const user = await newUser();
  const beta = await create(user, 'beta');
  await create(user, 'Zoo');
  await create(user, 'älter');
  await create(user, 'Chapter 10', beta);
  const two = await create(user, 'Chapter 2', beta);
  await create(user, 'deeper', two);
  const nodes = await tree(user);
  expect(names(nodes)).toEqual({ älter: {}, beta: { 'Chapter 2': { deeper: {} }, 'Chapter 10': {} }, Zoo: {} });
  expect(nodes.map(({ name }) => name)).toEqual(['älter', 'beta', 'Zoo']);
  expect(nodes[1]?.children.map(({ name, parentId }) => [name, parentId])).toEqual([
    ['Chapter 2', beta],
    ['Chapter 10', beta],
  ]);
});

test('two of one name may stand side by side', async () => {
  const user = await newUser();
  await create(user, 'Same');
  await create(user, 'Same');
  expect((await tree(user)).map(({ name }) => name)).toEqual(['Same', 'Same']);
});

test('a collection counts and lists its own sources, not those below it', async () => {
  const user = await newUser();
  const top = await create(user, 'Top');
  const below = await create(user, 'Below', top);
  const source = await user.create({ type: 'CONTENT', initial_data: { data: 'a' }, collectionId: below });
  const [node] = await tree(user);
  expect([node?.sourceCount, node?.children[0]?.sourceCount]).toEqual([0, 1]);
  const list = async (id: string) => (await user.call('GET', `/v1/collections/${id}/sources`)).body.data;
  expect(await list(top)).toEqual([]);
  expect((await list(below.toUpperCase())).map(({ id }: { id: string }) => id)).toEqual([source.id]);
});

test('thirty-two levels nest', async () => {
  const user = await newUser();
  let parent: string | null = null;
  for (let level = 1; level <= 32; level += 1) parent = await create(user, `Level ${level}`, parent);
  let depth = 0;
  for (let nodes = await tree(user); nodes.length > 0; nodes = nodes[0]?.children ?? []) depth += 1;
  expect(depth).toBe(32);
});
