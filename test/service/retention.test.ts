/** Purges remove deleted sources and spaces after 30 days: rows, objects, uploads, runs. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { purgeWorkflowId, sourceWorkflowId } from '../../contract/commands.ts';
import { transaction } from '../../db/sql.ts';
import { filterMarkedSources, removeUploads } from '../../db/transitions/retention/purge.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';
import { received, script, send, sitePath, upload } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

/** No promised time: a limit for a loaded machine. */
const PURGED_WITHIN_MS = 40_000;

let service: PrivateService;
let storage: Storage;
beforeAll(async () => {
  service = await startPrivateService({
    settings: { RECONCILER_SWEEP_SECONDS: '0.3', RECONCILER_GRACE_SECONDS: '1', POSTBACK_SCHEDULE_SECONDS: '0,3600' },
  });
  storage = createStorage(storageOptions(parseConfig(service.settings)));
  await service.startWorker();
});
afterAll(async () => {
  storage?.close();
  await service?.stop();
});

const REMOVED_WITHIN_MS = 150_000;

const query = async (text: string, values: unknown[]) => (await service.database.pool.query(text, values)).rows;
const count = async (table: string, column: string, value: string) =>
  (await query(`select count(*)::int as count from ${table} where ${column} = $1`, [value]))[0].count;
const age = (table: 'sources' | 'spaces', id: string) =>
  table === 'sources'
    ? query("update sources set deleted_at = now() - interval '31 days' where id = $1", [id])
    : query("update spaces set deleted_at = now() - interval '31 days' where id = $1", [id]);
async function keysOf(sourceId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(`sources/${sourceId}/`)) keys.push(key);
  return keys;
}
const gone = (table: string, id: string) =>
  until(`${id} is gone from ${table}`, async () => (await count(table, 'id', id)) === 0, PURGED_WITHIN_MS);
/** Waits until Temporal has no run of this id; it keeps a closed run for up to a minute. */
const removedFromTemporal = (workflowId: string) =>
  until(
    `${workflowId} is gone from Temporal`,
    async () => {
      const run = await service.temporal.workflow
        .getHandle(workflowId)
        .describe()
        .catch((error: unknown) => error);
      return run instanceof WorkflowNotFoundError;
    },
    REMOVED_WITHIN_MS,
  );
const bytes = (text: string) => new TextEncoder().encode(text);

test('a source is purged with its objects, run, postbacks, and its upload unless another source uses it', async () => {
  const user = await service.newUser();
  const [ownKey, sharedKey] = [
    await upload(user, 'own.txt', 'text/plain', bytes('Only this one uses it.')),
    await upload(user, 'shared.txt', 'text/plain', bytes('Two use it.')),
  ];
  const postback = sitePath('postback');
  const file = (data: string, instructions = {}) => user.create({ type: 'FILE', initial_data: { data }, instructions });
  const own = await file(ownKey, { postback_url: await script(postback, [{ status: 500 }]) });
  const [shared, other] = await Promise.all([file(sharedKey), file(sharedKey)]);
  await Promise.all([own, shared, other].map(({ id }) => user.reach(id, 'COMPLETED')));
  await until('a delivery has failed', async () => (await received(postback)).length === 1);
  expect(await keysOf(own.id)).not.toEqual([]);
  expect((await send(`${service.apiUrl}/files/${ownKey}`, 'GET')).status).toBe(302);

  for (const { id } of [own, shared]) await age('sources', id);
  for (const { id } of [own, shared]) await gone('sources', id);
  await until('its upload is gone', async () => (await count('uploads', 'file_key', ownKey)) === 0);
  await until('its file is gone', async () => (await storage.head(ownKey)) === null);
  for (const { id } of [own, shared]) {
    expect(await keysOf(id)).toEqual([]);
    for (const table of ['source_generations', 'postbacks', 'artifacts', 'outbox']) {
      expect(await count(table, 'source_id', id)).toBe(0);
    }
  }
  for (const { id } of [own, shared]) await removedFromTemporal(sourceWorkflowId(id));
  expect(await count('uploads', 'file_key', sharedKey)).toBe(1);
  expect(await user.markdown(other.id)).toContain('Two use it.');
  expect((await send(`${service.apiUrl}/files/${sharedKey}`, 'GET')).status).toBe(302);
}, 240_000);

test('a space is purged with everything in it, and a restore is 404 once the purge has begun', async () => {
  const user = await service.newUser();
  const base = `/v1/spaces/${user.spaceId}`;
  const top = (await user.call('POST', `${base}/collections`, { name: 'Top' })).body.data;
  await user.call('POST', `${base}/collections`, { name: 'Below', parentId: top.id });
  const fileKey = await upload(user, 'f.txt', 'text/plain', bytes('A file.'));
  const text = await user.create({
    type: 'CONTENT',
    initial_data: { data: '```ts\nconst promoted = 1;\n```' },
    collectionId: top.id,
  });
  const file = await user.create({ type: 'FILE', initial_data: { data: fileKey } });
  const joined = await user.create({ type: 'COMPOSITION', initial_data: { data: [text.id, file.id] } });
  const sources = [text, file, joined];
  await Promise.all(sources.map(({ id }) => user.reach(id, 'COMPLETED')));
  const [artifact] = (await user.call('GET', `${base}/artifacts?sourceId=${text.id}`)).body.data;
  sources.push((await user.call('PUT', `/v1/source-artifact/${artifact.id}/promote`)).body.data);
  const stays = (await user.call('POST', '/v1/spaces', { name: 'Stays' })).body.data;

  expect((await user.call('DELETE', base)).status).toBe(204);
  await age('spaces', user.spaceId);
  await until('its purge has begun', async () => {
    const [row] = await query('select purging_at from spaces where id = $1', [user.spaceId]);
    return row === undefined || row.purging_at !== null;
  });
  expect((await user.call('POST', `${base}/restore`)).status).toBe(404);
  expect((await user.call('GET', '/v1/spaces?deleted=only')).body.data).toEqual([]);
  await gone('spaces', user.spaceId);
  for (const { id } of sources) {
    expect(await count('sources', 'id', id)).toBe(0);
    expect(await keysOf(id)).toEqual([]);
  }
  expect(await count('collections', 'space_id', user.spaceId)).toBe(0);
  expect(await count('uploads', 'file_key', fileKey)).toBe(0);
  expect(await storage.head(fileKey)).toBeNull();
  expect((await user.call('GET', '/v1/spaces')).body.data.map(({ id }: { id: string }) => id)).toEqual([stays.id]);
});

test('a restore after 29 days keeps everything, and a source that was deleted separately stays deleted', async () => {
  const user = await service.newUser();
  const [kept, deleted] = await Promise.all([user.content('Kept.'), user.content('Deleted by itself.')]);
  await Promise.all([kept, deleted].map(({ id }) => user.reach(id, 'COMPLETED')));
  await query('update sources set deleted_at = now() where id = $1', [deleted.id]);
  await user.call('DELETE', `/v1/spaces/${user.spaceId}`);
  // One day before its purge.
  await query("update spaces set deleted_at = now() - interval '29 days' where id = $1", [user.spaceId]);
  expect((await user.call('POST', `/v1/spaces/${user.spaceId}/restore`)).status).toBe(200);
  expect(await user.markdown(kept.id)).toContain('Kept.');
  expect((await user.call('GET', `/v1/sources/${deleted.id}`)).status).toBe(404);
  expect((await user.call('GET', `/v1/spaces/${user.spaceId}/sources`)).body.data).toHaveLength(1);
});

test('a purge whose run was lost is started again and completes', async () => {
  const user = await service.newUser();
  const source = await user.content('Half gone.');
  await user.reach(source.id, 'COMPLETED');
  // As after a crash: marked, some objects removed, no command and no run.
  const [first = ''] = await keysOf(source.id);
  await storage.deleteKeys([first]);
  await query(
    `update sources set deleted_at = now() - interval '31 days', purging_at = now() - interval '1 day',
       checked_at = now() - interval '1 day' where id = $1`,
    [source.id],
  );
  await gone('sources', source.id);
  expect(await keysOf(source.id)).toEqual([]);
  const handle = service.temporal.workflow.getHandle(purgeWorkflowId({ of: 'source', id: source.id }));
  await until('its run is done', async () => (await handle.describe()).status.name === 'COMPLETED');
});

test('a step of a purge skips sources that are no longer marked, as after a restore of the database', async () => {
  const user = await service.newUser();
  const [marked, alive] = await Promise.all([user.content('Marked.'), user.content('Alive again.')]);
  const client = await service.database.pool.connect();
  await client.query('begin');
  await client.query('update sources set deleted_at = now(), purging_at = now() where id = $1', [marked.id]);
  expect(await filterMarkedSources(client, [marked.id, alive.id])).toEqual([marked.id]);
  await client.query('rollback');
  client.release();
});

test('an artifact whose promoted source was purged can be promoted again', async () => {
  const user = await service.newUser();
  const source = await user.content('```ts\nconst twice = 2;\n```');
  await user.reach(source.id, 'COMPLETED');
  const [{ id }] = (await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`)).body.data;
  const promote = () => user.call('PUT', `/v1/source-artifact/${id}/promote`);
  const first = (await promote()).body.data;
  expect((await user.call('DELETE', `/v1/sources/${first.id}`)).status).toBe(204);
  expect((await promote()).status).toBe(409);
  await age('sources', first.id);
  await gone('sources', first.id);
  const again = await promote();
  expect({ status: again.status, same: again.body.data.id === first.id }).toEqual({ status: 201, same: false });
});

test('the removal of uploads in a purge can be repeated, and a used upload stays', async () => {
  const user = await service.newUser();
  const [unused = '', used = ''] = await Promise.all(
    ['unused', 'used'].map((name) => upload(user, `${name}.txt`, 'text/plain', bytes(name))),
  );
  await user.create({ type: 'FILE', initial_data: { data: used } });
  const folder = (key: string) => key.slice(0, key.lastIndexOf('/') + 1);
  const uploads = await Promise.all(
    [unused, used].map(async (key) => {
      const [row] = await query('select id from uploads where file_key = $1', [key]);
      return { id: row.id, folder: folder(key) };
    }),
  );
  const remove = () => transaction(service.database, (session) => removeUploads(session, uploads));
  // The second call is that of a retry after a worker died before it removed the object.
  expect(await remove()).toEqual([uploads[0]]);
  expect(await remove()).toEqual([uploads[0]]);
  expect(await count('uploads', 'file_key', used)).toBe(1);
});
