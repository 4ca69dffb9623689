/** Lists of sources: their filters, alone and together, and their order during changes. */
import { newUser } from '../support/client.ts';

const user = await newUser();
const SPACE = `/v1/spaces/${user.spaceId}/sources`;

async function idsOf(path: string, query: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await user.call('GET', `${path}?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}
const ids = (query: Record<string, string>) => idsOf(SPACE, query);
const source = (body: Record<string, unknown>) =>
  user.create({ type: 'CONTENT', initial_data: { data: 'a' }, ...body });

test('sources are filtered by each field and by all fields together', async () => {
  const collection = (await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C' })).body.data.id;
  const wanted = await source({ name: 'Über 100%_a\\b', collectionId: collection, externalId: 'list/1' });
  const plain = await source({ name: 'uber 100xya/b', collectionId: collection });
  const uri = await user.create({ type: 'URI', initial_data: { data: 'https://nowhere.invalid/' }, name: 'Elsewhere' });
  await user.call('PATCH', `/v1/sources/${wanted.id}/toggle-pin`);
  await Promise.all([
    user.reach(wanted.id, 'COMPLETED'),
    user.reach(plain.id, 'COMPLETED'),
    user.reach(uri.id, 'FAILED'),
  ]);

  expect(await ids({})).toEqual([wanted.id, uri.id, plain.id]);
  expect(await ids({ type: 'URI' })).toEqual([uri.id]);
  expect(await ids({ status: 'COMPLETED' })).toEqual([wanted.id, plain.id]);
  expect(await ids({ status: 'COMPLETED', type: 'URI' })).toEqual([]);
  expect(await ids({ pinned: 'true' })).toEqual([wanted.id]);
  expect(await ids({ pinned: 'false' })).toEqual([uri.id, plain.id]);
  expect(await ids({ collectionId: collection })).toEqual([wanted.id, plain.id]);
  expect(await ids({ externalId: 'list/1' })).toEqual([wanted.id]);
  expect(await ids({ externalId: 'list/2' })).toEqual([]);
  expect(await ids({ q: 'ÜBER 100' })).toEqual([wanted.id]);
  expect(await ids({ q: '100' })).toEqual([wanted.id, plain.id]);
  for (const wildcard of ['%_', '_a', '\\', '%']) expect(await ids({ q: wildcard })).toEqual([wanted.id]);
  expect(await idsOf(`/v1/collections/${collection}/sources`)).toEqual([wanted.id, plain.id]);
  expect(await idsOf(`/v1/collections/${collection}/sources`, { pinned: 'false', q: '100' })).toEqual([plain.id]);
  const all = { status: 'COMPLETED', type: 'CONTENT', pinned: 'true', collectionId: collection, q: 'b' };
  expect(await ids({ ...all, externalId: 'list/1' })).toEqual([wanted.id]);

  await user.call('DELETE', `/v1/sources/${wanted.id}`);
  expect(await ids({})).toEqual([uri.id, plain.id]);
  expect(await ids({ ...all, externalId: 'list/1', deleted: 'only' })).toEqual([wanted.id]);
  expect(await ids({ type: 'URI', deleted: 'only' })).toEqual([]);
  expect(await idsOf(`/v1/collections/${collection}/sources`, { deleted: 'only' })).toEqual([wanted.id]);
});

test('an unknown collectionId is an empty list; other invalid filters are 400 by field', async () => {
  expect(await ids({ collectionId: 'x' })).toEqual([]);
  expect(await ids({ collectionId: user.spaceId })).toEqual([]);
  for (const [name, value] of Object.entries({
    pinned: 'yes',
    deleted: 'true',
    q: '',
    status: 'completed',
    type: '',
    of: 'x',
  })) {
    const response = await user.call('GET', `${SPACE}?${new URLSearchParams({ [name]: value })}`);
    expect(response).toMatchObject({ status: 400, body: { details: [{ field: name }] } });
  }
});

test('unchanged sources are shown once and in order, while others are added and pinned', async () => {
  const other = await newUser();
  const made: string[] = [];
  for (let n = 0; n < 12; n += 1) made.unshift((await other.content(`${n}`)).id);
  const path = `/v1/spaces/${other.spaceId}/sources`;
  const toggle = (id = '') => other.call('PATCH', `/v1/sources/${id}/toggle-pin`);
  await Promise.all([toggle(made[3]), toggle(made[7])]);
  const [third = '', seventh = ''] = [made[3], made[7]];
  const others = made.filter((id) => id !== third && id !== seventh);
  const seen: string[] = [];
  for (let cursor = '', pages = 0; ; pages += 1) {
    const { body } = await other.call('GET', `${path}?limit=3${cursor}`);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
    await other.content('added');
    // A source of an earlier page is pinned; the others keep their order.
    if (pages === 1) await toggle(seen[2]);
  }
  expect(seen).toEqual([third, seventh, ...others]);
});

test('a cursor is 400 with other filters than its own', async () => {
  const other = await newUser();
  for (const text of ['a', 'b']) await other.content(text);
  const path = `/v1/spaces/${other.spaceId}/sources?limit=1`;
  const cursor = (await other.call('GET', `${path}&q=a&pinned=false`)).body.nextCursor;
  expect(cursor).toBeNull();
  const next = (await other.call('GET', `${path}&pinned=false`)).body.nextCursor;
  expect((await other.call('GET', `${path}&pinned=false&cursor=${next}`)).body.data).toHaveLength(1);
  for (const filters of [
    '',
    '&pinned=true',
    '&pinned=false&q=a',
    '&pinned=false&deleted=only',
    '&pinned=false&externalId=a',
  ]) {
    const response = await other.call('GET', `${path}${filters}&cursor=${next}`);
    expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'cursor' }] } });
  }
});
