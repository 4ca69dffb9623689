import { openDatabase } from '../../db/orm.ts';
import { newUser, type TestUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';

/** All ids of a list, page by page; `between` runs after each page. */
async function walk(user: TestUser, path: string, limit: number, between = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await user.call('GET', `${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`);
    expect(status).toBe(200);
    expect(body.data.length).toBeLessThanOrEqual(limit);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
    await between();
  }
  return ids;
}

test('paging returns each existing row once, newest first, while rows are added', async () => {
  const user = await newUser();
  const made: string[] = [];
  for (let n = 0; n < 7; n += 1) made.unshift((await user.content(`${n}`)).id);
  const ids = await walk(user, `/v1/spaces/${user.spaceId}/sources`, 2, async () => void (await user.content('new')));
  expect(ids).toEqual(made);
});

test('pinned sources come first, and sources with the same createdAt are ordered by id', async () => {
  const user = await newUser();
  const made: string[] = [];
  for (let n = 0; n < 9; n += 1) made.push((await user.content(`${n}`)).id);
  const pinned = made.slice(2, 5);
  const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
  await database.pool.query('update sources set created_at = $2, pinned = id = any($3) where space_id = $1', [
    user.spaceId,
    '2026-01-01T00:00:00.123Z',
    pinned,
  ]);
  await database.close();
  const ids = await walk(user, `/v1/spaces/${user.spaceId}/sources`, 2);
  const others = made.filter((id) => !pinned.includes(id));
  expect(ids).toEqual([...pinned.sort().reverse(), ...others.sort().reverse()]);
});

test('a full last page has no cursor', async () => {
  const user = await newUser();
  for (const name of ['B', 'C', 'D']) await user.call('POST', '/v1/spaces', { name });
  const page = await user.call('GET', '/v1/spaces?limit=4');
  expect([page.body.data.length, page.body.nextCursor]).toEqual([4, null]);
  expect(await walk(user, '/v1/spaces', 1)).toEqual(page.body.data.map(({ id }: { id: string }) => id));
});

test('a page has 50 entries by default', async () => {
  const user = await newUser();
  await Promise.all(Array.from({ length: 51 }, (_, n) => user.call('POST', '/v1/api-keys', { name: `K${n}` })));
  const { body } = await user.call('GET', '/v1/api-keys');
  expect(body.data).toHaveLength(50);
  expect(await walk(user, '/v1/api-keys', 20)).toHaveLength(52);
});

test('a cursor is 400 in another list, with other filters or of another owner', async () => {
  const [user, other] = [await newUser(), await newUser()];
  for (const text of ['a', 'b']) await user.content(text);
  await other.call('POST', '/v1/spaces', { name: 'Two' });
  await user.call('POST', '/v1/spaces', { name: 'Two' });
  const sources = `/v1/spaces/${user.spaceId}/sources`;
  const cursor = (await user.call('GET', `${sources}?limit=1`)).body.nextCursor;
  expect((await user.call('GET', `${sources}?cursor=${cursor}&limit=100`)).status).toBe(200);
  const spaces = (await user.call('GET', '/v1/spaces?limit=1')).body.nextCursor;
  const rejected = [
    user.call('GET', `${sources}?cursor=${cursor}&type=CONTENT`),
    user.call('GET', `${sources}?cursor=${cursor}&status=COMPLETED`),
    user.call('GET', `/v1/spaces/${user.spaceId}/artifacts?cursor=${cursor}`),
    user.call('GET', `/v1/api-keys?cursor=${spaces}`),
    other.call('GET', `/v1/spaces?cursor=${spaces}`),
  ];
  for (const { status, body } of await Promise.all(rejected)) {
    expect({ status, field: body.details?.[0].field }).toEqual({ status: 400, field: 'cursor' });
  }
});
