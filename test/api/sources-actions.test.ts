/** Bulk actions: the rules of the single calls, applied to each source separately. */
import { newUser, script, sitePath } from '../support/client.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const other = await newUser();
const missing = '01890000-0000-7000-8000-000000000000';

interface Result {
  id: string;
  ok: boolean;
  source?: Record<string, unknown>;
  error?: { code: number; message: string; details?: { field: string }[] };
}
const act = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  user.call('POST', `/v1/spaces/${user.spaceId}/sources/actions`, body, headers);
async function results(body: Record<string, unknown>): Promise<Result[]> {
  const { status, body: response } = await act(body);
  expect(status).toBe(200);
  return response.data;
}
const codes = (list: Result[]) => list.map(({ ok, error }) => (ok ? 'ok' : error?.code));
const hanging = async () =>
  user.create({ type: 'URI', initial_data: { data: await script(sitePath('hangs'), [{ hang: true }]) } });

test('a bulk action has one result per source, in the order of the request', async () => {
  const [done, running] = await Promise.all([user.content('Text.'), hanging()]);
  const theirs = await other.content('Text.');
  await user.reach(done.id, 'COMPLETED');
  const ids = [running.id, missing, done.id.toUpperCase(), theirs.id];

  const canceled = await results({ action: 'cancel', ids });
  expect(canceled.map(({ id }) => id)).toEqual(ids);
  expect(codes(canceled)).toEqual(['ok', 404, 409, 404]);
  expect(canceled[0]?.source).toMatchObject({ id: running.id, status: 'CANCELED' });
  const single = await user.call('POST', `/v1/sources/${done.id}/cancel`);
  expect(canceled[2]?.error).toEqual(single.body);
  expect(canceled[1]?.error).toEqual(canceled[3]?.error);

  const refreshed = await results({ action: 'refresh', ids, run_context_extraction: false });
  expect(codes(refreshed)).toEqual(['ok', 404, 400, 404]);
  expect(refreshed[2]?.error?.details?.[0]?.field).toBe('type');
  expect(refreshed[0]?.source).toMatchObject({ generation: 2 });
  const [generation] = (await user.call('GET', `/v1/sources/${running.id}/generations`)).body.data;
  expect(generation).toMatchObject({
    trigger: 'refresh',
    options: { run_context_extraction: false, run_artifact_extraction: true },
  });

  expect(codes(await results({ action: 'reprocess', ids }))).toEqual(['ok', 404, 'ok', 404]);
  await user.reach(done.id, 'COMPLETED');
  expect((await user.get(done.id)).generation).toBe(2);
  expect((await other.get(theirs.id)).generation).toBe(1);
  await act({ action: 'cancel', ids: [running.id] });
});

test('bulk actions delete, restore, pin, unpin and move sources', async () => {
  const [one, two] = await Promise.all([
    user.create({ type: 'CONTENT', initial_data: { data: 'a' }, externalId: 'actions/1' }),
    user.content('b'),
  ]);
  const ids = [two.id, one.id];
  const collection = (await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C' })).body.data.id;

  expect(codes(await results({ action: 'pin', ids }))).toEqual(['ok', 'ok']);
  expect((await results({ action: 'pin', ids: [one.id] }))[0]?.source).toMatchObject({ pinned: true });
  expect((await results({ action: 'unpin', ids })).map(({ source }) => source?.pinned)).toEqual([false, false]);
  const moved = await results({ action: 'move', ids, collectionId: collection });
  expect(moved.map(({ source }) => source?.collectionId)).toEqual([collection, collection]);
  const top = await results({ action: 'move', ids: [one.id], collectionId: null });
  expect(top[0]?.source).toMatchObject({ collectionId: null });

  const deleted = await results({ action: 'delete', ids });
  expect(deleted.map(({ source }) => typeof source?.deletedAt)).toEqual(['string', 'string']);
  expect(codes(await results({ action: 'delete', ids }))).toEqual([404, 404]);
  expect(codes(await results({ action: 'pin', ids }))).toEqual([404, 404]);

  const taker = await user.create({ type: 'CONTENT', initial_data: { data: 'c' }, externalId: 'actions/1' });
  const restored = await results({ action: 'restore', ids: [one.id, two.id, taker.id] });
  expect(codes(restored)).toEqual([409, 'ok', 'ok']);
  expect(restored[0]?.error?.message).toContain(taker.id);
  expect(restored[0]?.error?.details?.[0]?.field).toBe('externalId');
  expect((await user.get(two.id)).collectionId).toBe(collection);
});

test('an invalid bulk action is 400 as a whole and names the field', async () => {
  const [{ id }, elsewhere] = await Promise.all([
    user.content('Text.'),
    other.call('POST', `/v1/spaces/${other.spaceId}/collections`, { name: 'C' }),
  ]);
  const many = Array.from({ length: 101 }, (_, n) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`);
  const cases: [Record<string, unknown>, Record<string, string>][] = [
    [{ ids: [id] }, { action: 'Required.' }],
    [{ action: 'purge', ids: [id] }, { action: expect.stringContaining('expected one of') }],
    [{ action: 'pin' }, { ids: 'Required.' }],
    [{ action: 'pin', ids: [] }, { ids: 'Must list 1 to 100 sources.' }],
    [{ action: 'pin', ids: many }, { ids: 'Must list 1 to 100 sources.' }],
    [{ action: 'pin', ids: [id, 'x'] }, { 'ids.1': 'Must be an id.' }],
    [{ action: 'pin', ids: [id, missing, id.toUpperCase()] }, { 'ids.2': 'This id is listed twice.' }],
    [{ action: 'move', ids: [id] }, { collectionId: 'Required.' }],
    [{ action: 'pin', ids: [id], collectionId: null }, { collectionId: 'Only for move.' }],
    [
      { action: 'move', ids: [id], collectionId: elsewhere.body.data.id },
      { collectionId: 'There is no such collection in this space.' },
    ],
    [
      { action: 'pin', ids: [id], run_context_extraction: true },
      { run_context_extraction: 'Only for reprocess and refresh.' },
    ],
    [{ action: 'pin', ids: [id], all: true }, { all: 'Unknown field.' }],
  ];
  for (const [body, details] of cases) {
    const response = await act(body);
    const named = Object.fromEntries(
      response.body.details.map(({ field, message }: { field: string; message: string }) => [field, message]),
    );
    expect({ status: response.status, named }).toEqual({ status: 400, named: details });
  }
});

test('concurrent bulk actions in opposite orders all succeed, and a replayed one is done once', async () => {
  const sources = await Promise.all(Array.from({ length: 12 }, (_, n) => user.content(`Text ${n}.`)));
  const ids = sources.map(({ id }) => id);
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      act({ action: n % 3 === 0 ? 'reprocess' : 'pin', ids: n % 2 ? ids : ids.toReversed() }),
    ),
  );
  expect(responses.every(({ status, body }) => status === 200 && body.data.every(({ ok }: Result) => ok))).toBe(true);
  const key = { 'idempotency-key': 'bulk-1' };
  const first = await act({ action: 'reprocess', ids }, key);
  const again = await act({ action: 'reprocess', ids }, key);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  await until('every source is in generation 6', async () => {
    const list = (await user.call('GET', `/v1/spaces/${user.spaceId}/sources?pinned=true`)).body.data;
    return list.every(({ generation }: { generation: number }) => generation === 6);
  });
});
