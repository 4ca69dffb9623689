import { Pool } from 'pg';
import { z } from 'zod';
import { type CollectionNode, collectionNodeSchema, collectionSchema } from '../../contract/resources.ts';
import { newUser, type TestUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';

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

test('collections are listed as one tree, siblings ordered by name', async () => {
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

test('two collections of one parent may have the same name', async () => {
  const user = await newUser();
  await create(user, 'Same');
  await create(user, 'Same');
  expect((await tree(user)).map(({ name }) => name)).toEqual(['Same', 'Same']);
});

test('a collection counts and lists its own sources, not those of collections below it', async () => {
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

test('collections nest 32 levels deep', async () => {
  const user = await newUser();
  let parent: string | null = null;
  for (let level = 1; level <= 32; level += 1) parent = await create(user, `Level ${level}`, parent);
  let depth = 0;
  for (let nodes = await tree(user); nodes.length > 0; nodes = nodes[0]?.children ?? []) depth += 1;
  expect(depth).toBe(32);
});

test('a space has at most 10,000 collections', async () => {
  const [user, other] = [await newUser(), await newUser()];
  const pool = new Pool({ connectionString: stack().settings.DATABASE_URL, max: 1 });
  await pool.query(
    "insert into collections (id, space_id, name) select gen_random_uuid(), $1, 'C' || n from generate_series(1, 9999) n",
    [user.spaceId],
  );
  await pool.end();
  const last = await create(user, 'Last');
  for (const parentId of [null, last]) {
    const { status, body } = await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, {
      name: 'More',
      parentId,
    });
    expect(status).toBe(400);
    expect(body.details).toEqual([{ field: 'spaceId', message: 'A space has at most 10000 collections.' }]);
  }
  expect(await tree(user)).toHaveLength(10_000);
  await user.call('DELETE', `/v1/collections/${last}`);
  await create(user, 'Again');
  await create(other, 'In another space');
});

const patch = (user: TestUser, id: string, body: object) => user.call('PATCH', `/v1/collections/${id}`, body);
const badParent = (message: string) => ({ status: 400, details: [{ field: 'parentId', message }] });
const cycle = badParent('A collection cannot be inside itself or a collection below it.');
const tooDeep = badParent('Collections nest at most 32 levels deep.');
const noParent = badParent('There is no such collection in this space.');
async function errorOf(response: ReturnType<typeof patch>) {
  const { status, body } = await response;
  return { status, details: body.details };
}

/** Creates a chain of nested collections; returns their ids from the top down. */
async function chain(user: TestUser, levels: number, parentId: string | null = null): Promise<string[]> {
  const ids: string[] = [];
  for (let level = 1; level <= levels; level += 1) ids.push(await create(user, `L${level}`, ids.at(-1) ?? parentId));
  return ids;
}

test('a collection is read, renamed and moved', async () => {
  const user = await newUser();
  const top = await create(user, 'Top');
  const id = await create(user, 'Name');
  await user.create({ type: 'CONTENT', initial_data: { data: 'a' }, collectionId: id });
  const read = await user.call('GET', `/v1/collections/${id.toUpperCase()}`);
  expect(read.status).toBe(200);
  const before = z.strictObject({ data: collectionSchema.strict() }).parse(read.body).data;
  expect(before).toMatchObject({ id, name: 'Name', parentId: null, sourceCount: 1 });
  expect((await patch(user, id, { name: ' New ' })).body.data).toMatchObject({ name: 'New', parentId: null });
  const moved = await patch(user, id, { parentId: top.toUpperCase() });
  expect({ status: moved.status, body: moved.body }).toMatchObject({
    status: 200,
    body: { data: { id, name: 'New', parentId: top, sourceCount: 1, createdAt: before.createdAt } },
  });
  expect(names(await tree(user))).toEqual({ Top: { New: {} } });
  expect((await patch(user, id, {})).body).toEqual(moved.body);
  await patch(user, id, { parentId: null });
  expect(names(await tree(user))).toEqual({ New: {}, Top: {} });
});

test('a parent that closes a cycle, is unknown or is in another space is 400 on parentId', async () => {
  const user = await newUser();
  const other = await newUser();
  const [top = '', middle = '', low = ''] = await chain(user, 3);
  for (const parentId of [top, middle, low]) expect(await errorOf(patch(user, top, { parentId }))).toEqual(cycle);
  const second = (await user.call('POST', '/v1/spaces', { name: 'Second' })).body.data.id;
  const elsewhere = (await user.call('POST', `/v1/spaces/${second}/collections`, { name: 'C' })).body.data.id;
  for (const parentId of [elsewhere, await create(other, 'Theirs'), '01890000-0000-7000-8000-000000000000']) {
    expect(await errorOf(patch(user, top, { parentId }))).toEqual(noParent);
    expect(await errorOf(user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C', parentId }))).toEqual(
      noParent,
    );
  }
  expect(names(await tree(user))).toEqual({ L1: { L2: { L3: {} } } });
});

test('a move counts the levels of the moved subtree: 32 in all are accepted, 33 rejected', async () => {
  const user = await newUser();
  const deep = await chain(user, 30);
  const [high = ''] = await chain(user, 3);
  expect(await errorOf(patch(user, high, { parentId: deep[29] }))).toEqual(tooDeep);
  expect((await patch(user, high, { parentId: deep[28] })).status).toBe(200);
  expect((await patch(user, high, { parentId: null })).status).toBe(200);
  // 30 levels below the first of three are 31.
  expect((await patch(user, deep[0] ?? '', { parentId: high })).status).toBe(200);
});

test('deleting a collection deletes those below it and keeps their sources in the space', async () => {
  const user = await newUser();
  const top = await create(user, 'Top');
  const below = await create(user, 'Below', top);
  const beside = await create(user, 'Beside');
  const put = (collectionId: string) => user.create({ type: 'CONTENT', initial_data: { data: 'a' }, collectionId });
  const sources = await Promise.all([put(top), put(below), put(beside)]);
  const before = await Promise.all(sources.map(({ id }) => user.reach(id, 'COMPLETED')));
  expect((await user.call('DELETE', `/v1/collections/${top}`)).status).toBe(204);
  for (const id of [top, below]) expect((await user.call('GET', `/v1/collections/${id}`)).status).toBe(404);
  expect((await user.call('DELETE', `/v1/collections/${top}`)).status).toBe(404);
  expect(names(await tree(user))).toEqual({ Beside: {} });
  const after = await Promise.all(sources.map(({ id }) => user.get(id)));
  expect(after.map(({ collectionId }) => collectionId)).toEqual([null, null, beside]);
  for (const n of [0, 1]) {
    expect(after[n]?.revision).toBeGreaterThan(before[n]?.revision ?? 0);
    expect(after[n]?.updatedAt).not.toBe(before[n]?.updatedAt);
  }
  expect(after[2]).toEqual(before[2]);
});

test('of two concurrent moves of collections under each other one is 400, and no cycle arises', async () => {
  const user = await newUser();
  const pairs = await Promise.all(
    Array.from({ length: 10 }, (_, n) => Promise.all([create(user, `A${n}`), create(user, `B${n}`)])),
  );
  // Collections in a cycle are below no root, so that the count would lack them.
  const count = (nodes: CollectionNode[]): number => nodes.reduce((sum, { children }) => sum + 1 + count(children), 0);
  for (let round = 0; round < 3; round += 1) {
    const responses = await Promise.all(
      pairs.map(([one, two]) =>
        Promise.all([patch(user, one, { parentId: two }), patch(user, two, { parentId: one })]),
      ),
    );
    for (const pair of responses) expect(pair.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(count(await tree(user))).toBe(20);
    await Promise.all(pairs.flat().map((id) => patch(user, id, { parentId: null })));
  }
});

test('creations of sources concurrent with deletions leave no source in a deleted collection', async () => {
  const user = await newUser();
  const top = await create(user, 'Top');
  const below = await create(user, 'Below', top);
  const creating = Array.from({ length: 10 }, (_, n) =>
    user.call('POST', `/v1/spaces/${user.spaceId}/sources`, {
      type: 'CONTENT',
      initial_data: { data: `${n}` },
      instructions: {},
      collectionId: below,
    }),
  );
  const deleting = [top, below, top].map((id) => user.call('DELETE', `/v1/collections/${id}`));
  const created = await Promise.all(creating);
  for (const { status } of created) expect([201, 400]).toContain(status);
  for (const { status } of await Promise.all(deleting)) expect([204, 404]).toContain(status);
  const kept = created.filter(({ status }) => status === 201).map(({ body }) => body.data);
  const now = await Promise.all(kept.map(({ id }) => user.get(id)));
  expect(now.map(({ collectionId }) => collectionId)).toEqual(kept.map(() => null));
  for (const [n, { revision }] of now.entries()) expect(revision).toBeGreaterThan(kept[n].revision);
});

test('concurrent deletions of collections of one space all succeed', async () => {
  const user = await newUser();
  const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => create(user, `C${n}`)));
  const responses = await Promise.all(ids.map((id) => user.call('DELETE', `/v1/collections/${id}`)));
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(204));
  expect(await tree(user)).toEqual([]);
});

test('moves of sources within a tree during its deletion are 200 or 400 and leave them in no collection', async () => {
  const user = await newUser();
  for (let round = 0; round < 3; round += 1) {
    const ids = await chain(user, 3);
    const sources = await Promise.all(
      ids.flatMap((collectionId) =>
        [1, 2, 3].map(() => user.create({ type: 'CONTENT', initial_data: { data: 'a' }, collectionId })),
      ),
    );
    const moves = sources.map(({ id }, n) =>
      user.call('PATCH', `/v1/sources/${id}`, { collectionId: ids[(n + 1) % 3] }),
    );
    const many = user.call('POST', `/v1/spaces/${user.spaceId}/sources/actions`, {
      action: 'move',
      ids: sources.map(({ id }) => id).reverse(),
      collectionId: ids[2],
    });
    const [deleted, actions, ...moved] = await Promise.all([
      user.call('DELETE', `/v1/collections/${ids[0]}`),
      many,
      ...moves,
    ]);
    expect(deleted.status).toBe(204);
    expect([200, 400]).toContain(actions.status);
    for (const { status } of moved) expect([200, 400]).toContain(status);
    const now = await Promise.all(sources.map(({ id }) => user.get(id)));
    expect(now.map(({ collectionId }) => collectionId)).toEqual(sources.map(() => null));
  }
});
