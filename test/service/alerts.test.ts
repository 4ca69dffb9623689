/** Each metric of an alert in docs/operations.md changes when its event happens. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { script, settledDeliveries, sitePath } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
let worker: ServicePart;
beforeAll(async () => {
  service = await startPrivateService({
    settings: { SWEEP_SECONDS: '0.5', RECONCILER_GRACE_SECONDS: '1' },
  });
  worker = await service.startWorker();
});
afterAll(() => service?.stop());

/** The sum of a metric's values over the series that have all of `labels`. */
async function metric(url: string, name: string, ...labels: string[]): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  const values = lines.filter(
    (line) => /^[^{ ]+/.exec(line)?.[0] === name && labels.every((label) => line.includes(label)),
  );
  return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const query = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);

test('generations_ended_total{code="internal"}: results rejected by the database end FAILED with a reason', async () => {
  const user = await service.newUser();
  const before = () => metric(worker.url, 'generations_ended_total', 'status="FAILED"', 'code="internal"');
  expect(await before()).toBe(0);
  await query("alter table sources add constraint refuses check (name <> 'Refused' or status <> 'COMPLETED')");
  const { id } = await user.create({ type: 'CONTENT', name: 'Refused', initial_data: { data: 'Text.' } });
  const { error, resultGeneration } = await user.reach(id, 'FAILED');
  await query('alter table sources drop constraint refuses');
  expect(error).toMatchObject({ code: 'internal', stage: 'finish', retryable: true });
  expect(error?.message).toContain('The results could not be stored.');
  expect(resultGeneration).toBeNull();
  expect(await before()).toBe(1);
  // The same source completes once the database accepts it.
  await user.call('POST', `/v1/sources/${id}/reprocess`);
  await user.reach(id, 'COMPLETED');
});

test('reconciler_repairs_total{action="given_up"}: a run that is lost once more after three repairs', async () => {
  const user = await service.newUser();
  const given = () => metric(service.apiUrl, 'reconciler_repairs_total', 'action="given_up"');
  expect(await given()).toBe(0);
  const { id } = await user.content('Text.');
  await user.reach(id, 'COMPLETED');
  // As if its run were lost after the third repair.
  await query('update source_generations set outcome = null, finished_at = null, repairs = 3 where source_id = $1', [
    id,
  ]);
  await query("update sources set status = 'PROCESSING' where id = $1", [id]);
  expect((await user.reach(id, 'FAILED')).error).toMatchObject({ code: 'run_lost' });
  expect(await given()).toBe(1);
});

test('collector_stops_total: more unreferenced objects than a sweep may remove are kept', async () => {
  const stops = () => metric(service.apiUrl, 'collector_stops_total');
  expect(await stops()).toBe(0);
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  const sourceId = randomUUID();
  const keys = Array.from({ length: 120 }, () => `${sourceId}/${randomUUID()}/${randomUUID()}/content`);
  const written = keys.map((key) => `written/${key}`);
  await Promise.all(written.map((key) => storage.put(key, 'x', 'text/plain')));
  // Unreferenced objects are kept for a day; the storage reads their age from its files.
  const bucket = join(stack().dataFolder, 'storage', 'buckets', service.settings.S3_BUCKET ?? '');
  const old = new Date(Date.now() - 25 * 3600 * 1000);
  await Promise.all(written.map((key) => utimes(join(bucket, key), old, old)));
  // All appear at once: a part of them would be below the limit, and be removed.
  await mkdir(join(bucket, 'sources'), { recursive: true });
  await rename(join(bucket, 'written', sourceId), join(bucket, 'sources', sourceId));
  await until('the collector stops', async () => (await stops()) > 0);
  expect(await Promise.all(keys.map((key) => storage.head(`sources/${key}`)))).not.toContain(null);
  storage.close();
});

test('postbacks_late_seconds: seconds since the oldest pending postback was due', async () => {
  const user = await service.newUser();
  const { id } = await user.content('Text.', { postback_url: await script(sitePath('late'), [{ status: 200 }]) });
  await user.reach(id, 'COMPLETED');
  await settledDeliveries(user, id);
  // The only dispatcher left cannot repair anything.
  await service.api.kill();
  const dispatcher = await service.startDispatcher({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  expect(await metric(dispatcher.url, 'postbacks_late_seconds')).toBe(0);
  await query(
    "update postbacks set state = 'pending', next_attempt_at = now() - interval '2 minutes' where source_id = $1",
    [id],
  );
  expect(await metric(dispatcher.url, 'postbacks_late_seconds')).toBeGreaterThan(100);
});
