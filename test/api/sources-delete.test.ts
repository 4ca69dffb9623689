/** Deletion and restoration of sources, and pins. */
import { openDatabase } from '../../db/orm.ts';
import { newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const user = await newUser();

const at = (id: string, action = '') => `/v1/sources/${id}${action && `/${action}`}`;
const remove = (id: string) => user.call('DELETE', at(id));
const restore = (id: string) => user.call('POST', at(id, 'restore'));
const withDeleted = (id: string) => user.call('GET', `${at(id)}?includeDeleted=true`);
const external = (externalId: string) => user.create({ type: 'CONTENT', initial_data: { data: 'Text.' }, externalId });

test('a deleted source is 404 except with includeDeleted, until it is restored', async () => {
  const { id } = await user.content('# Words\n\n```js\nfound();\n```\n');
  const before = await user.reach(id, 'COMPLETED');
  expect(await remove(id)).toMatchObject({ status: 204, body: '' });
  const calls: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'N' }],
    ['DELETE', ''],
    ['PATCH', 'toggle-pin'],
    ['POST', 'cancel'],
    ['POST', 'reprocess'],
    ['POST', 'refresh'],
    ['GET', 'content'],
    ['GET', 'context'],
    ['GET', 'artifacts'],
    ['GET', 'postbacks'],
    ['GET', 'generations'],
  ];
  for (const [method, action, body] of calls) {
    expect([method, action, (await user.call(method, at(id, action), body)).status]).toEqual([method, action, 404]);
  }
  const list = `/v1/spaces/${user.spaceId}/sources`;
  const ids = async (query = '') =>
    (await user.call('GET', `${list}${query}`)).body.data.map((source: { id: string }) => source.id);
  expect(await ids()).not.toContain(id);
  expect(await ids('?deleted=only')).toContain(id);
  const deleted = (await withDeleted(id)).body.data;
  expect(deleted).toMatchObject({ id, status: 'COMPLETED', revision: before.revision + 1 });
  expect(Date.parse(deleted.deletedAt)).toBeGreaterThan(Date.parse(before.createdAt));

  const restored = await restore(id);
  expect(restored).toMatchObject({ status: 200, body: { data: { id, deletedAt: null, status: 'COMPLETED' } } });
  expect(await user.get(id)).toMatchObject({ revision: before.revision + 2, resultGeneration: 1 });
  expect(await user.markdown(id)).toContain('Words');
  expect(await ids('?deleted=only')).not.toContain(id);
  // A restore of a live source changes nothing.
  expect(await restore(id)).toMatchObject({ status: 200, body: { data: { revision: before.revision + 2 } } });
});

test('a deletion cancels the running generation, and a postback reports it', async () => {
  const [page, receiver] = [sitePath('page'), sitePath('receiver')];
  const { id } = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ hang: true }]) },
    instructions: { postback_url: await script(receiver, [{ status: 200 }]) },
  });
  await until('the page is requested', async () => (await received(page)).length === 1);
  await remove(id);
  expect((await withDeleted(id)).body.data).toMatchObject({
    status: 'CANCELED',
    postback: { state: expect.stringMatching(/^(pending|delivered)$/) },
  });
  const [request] = await until('the postback has arrived', async () => {
    const requests = await received(receiver);
    return requests.length > 0 && requests;
  });
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: 'source.canceled', data: { id, status: 'CANCELED' } });
  await until('the fetch is aborted', async () => (await received(page))[0]?.aborted, 3_000);
  expect((await restore(id)).body.data).toMatchObject({ status: 'CANCELED', generation: 1 });
  expect(await settledDeliveries(user, id)).toMatchObject([{ state: 'delivered' }]);
});

test('a restore is 409 if its externalId is taken, drops a deleted collection, and is 404 in a purge', async () => {
  const collection = (await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C' })).body.data;
  const first = await external('delete/1');
  await user.call('PATCH', at(first.id), { collectionId: collection.id });
  await remove(first.id);
  const second = await external('delete/1');
  const response = await restore(first.id);
  expect(response.status).toBe(409);
  expect(response.body.details.map(({ field }: { field: string }) => field)).toEqual(['externalId']);
  expect(response.headers.get('location')).toBe(`/v1/sources/${second.id}`);
  await remove(second.id);
  expect((await user.call('DELETE', `/v1/collections/${collection.id}`)).status).toBe(204);
  expect(await restore(first.id)).toMatchObject({
    status: 200,
    body: { data: { collectionId: null, externalId: 'delete/1' } },
  });

  const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
  await database.pool.query('update sources set purging_at = now() where id = $1', [second.id]);
  await database.close();
  expect((await restore(second.id)).status).toBe(404);
});

test('toggle-pin flips or sets the pin, and raises the revision only if the pin changes', async () => {
  const { id } = await user.content('Text.');
  const { revision } = await user.reach(id, 'COMPLETED');
  const toggle = async (body?: object) => {
    const { status, body: response } = await user.call('PATCH', at(id, 'toggle-pin'), body);
    return [status, response.data.pinned, response.data.revision - revision];
  };
  expect(await toggle()).toEqual([200, true, 1]);
  expect(await toggle({})).toEqual([200, false, 2]);
  expect(await toggle({ pinned: true })).toEqual([200, true, 3]);
  expect(await toggle({ pinned: true })).toEqual([200, true, 3]);
  expect(await toggle({ pinned: false })).toEqual([200, false, 4]);
  const rejected = await user.call('PATCH', at(id, 'toggle-pin'), { pinned: 'yes' });
  expect(rejected).toMatchObject({ status: 400, body: { details: [{ field: 'pinned' }] } });
});

test('a toggle with an Idempotency-Key is done once', async () => {
  const { id } = await user.content('Text.');
  const toggle = () => user.call('PATCH', at(id, 'toggle-pin'), undefined, { 'idempotency-key': 'toggle-1' });
  const first = await toggle();
  const second = await toggle();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect([first.body.data.pinned, second.body.data.pinned, (await user.get(id)).pinned]).toEqual([true, true, true]);
});

test('20 concurrent toggles are 20 flips, each in one response', async () => {
  const { id } = await user.content('Text.');
  const { revision } = await user.reach(id, 'COMPLETED');
  const responses = await Promise.all(Array.from({ length: 20 }, () => user.call('PATCH', at(id, 'toggle-pin'))));
  const seen = responses.map(({ body }) => [body.data.revision - revision, body.data.pinned]);
  expect(seen.sort(([a], [b]) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => [n + 1, n % 2 === 0]));
  expect((await user.get(id)).pinned).toBe(false);
});

test('concurrent deletes and restores leave a state that some order explains', async () => {
  const { id } = await user.content('Text.');
  const { revision } = await user.reach(id, 'COMPLETED');
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? remove(id) : restore(id)).then(({ status }) => status)),
  );
  const end = (await withDeleted(id)).body.data;
  // Each delete with 204 hid the source; a restore showed it again, or it is hidden now.
  const deletions = responses.filter((status) => status === 204).length;
  expect(deletions).toBeGreaterThan(0);
  expect(responses.every((status, n) => (n % 2 === 0 ? [204, 404] : [200]).includes(status))).toBe(true);
  expect(end.revision - revision).toBe(end.deletedAt === null ? 2 * deletions : 2 * deletions - 1);
});
