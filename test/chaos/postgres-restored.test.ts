/** PostgreSQL is restored to an older copy: Temporal, the bucket and the receivers have newer state. */
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { distinctPostbacks } from '../support/received-postbacks.ts';
import { replayErrors } from '../support/replay.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** Promised recovery time after PostgreSQL is back. */
const REPAIR_MS = 60_000;

let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({
    own: ['postgres'],
    settings: {
      POSTBACK_SCHEDULE_SECONDS: '0,3,3,3,3',
      RECONCILER_SWEEP_SECONDS: '0.5',
      RECONCILER_GRACE_SECONDS: '1',
      RECONCILER_REMIND_SECONDS: '2',
    },
  });
  await service.startWorker();
  user = await service.newUser();
});
afterAll(() => service?.stop());

const PAGE = [{ body: '<h1>At last</h1><p>The page has answered.</p>' }];

/** Creates a URI source with a receiver, whose page has these responses. */
async function source(responses: Parameters<typeof script>[1]) {
  const [page, receiver] = [sitePath('page'), sitePath('receiver')];
  const { id } = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, responses) },
    instructions: { postback_url: await script(receiver, [{ status: 204 }]) },
  });
  await until('the page is requested', async () => (await received(page)).length === 1);
  return { id, page, receiver, respond: () => script(page, PAGE) };
}

async function delivering() {
  const receiver = sitePath('receiver');
  const { id } = await user.content('Some words.', { postback_url: await script(receiver, [{ status: 503 }]) });
  await until('one attempt failed', async () => (await user.get(id)).postback?.attempts === 1);
  return { id, receiver };
}

/** Removes a source's objects from the bucket, as the collector does with unreferenced ones. */
async function removeObjects(sourceId: string): Promise<void> {
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  const keys: string[] = [];
  for await (const { key } of storage.list(`sources/${sourceId}/`)) keys.push(key);
  await storage.deleteKeys(keys);
  storage.close();
}

test('after a restore of PostgreSQL all sources end correctly, and no webhook-id has two bodies', async () => {
  const [reprocessed, finished, emptied, delivered] = await Promise.all([
    source([{ hang: true }]),
    source([{ hang: true }, ...PAGE]),
    source(PAGE),
    delivering(),
  ]);
  await settledDeliveries(user, emptied.id);
  const postgres = service.server('postgres');
  await postgres.stop();
  const copy = await postgres.copyData();
  await postgres.start();

  // Changes after the copy.
  await script(delivered.receiver, [{ status: 204 }]);
  await user.call('POST', `/v1/sources/${finished.id}/cancel`);
  await user.call('POST', `/v1/sources/${reprocessed.id}/reprocess`);
  const created = await source([{ hang: true }]);
  await until('the reprocess fetches', async () => (await received(reprocessed.page)).length >= 2, REPAIR_MS);
  await settledDeliveries(user, finished.id, 1, REPAIR_MS);
  await settledDeliveries(user, delivered.id, 1, REPAIR_MS);
  await user.call('POST', `/v1/sources/${emptied.id}/refresh`);
  await settledDeliveries(user, emptied.id, 2, REPAIR_MS);
  await removeObjects(emptied.id);

  await postgres.stop();
  await postgres.replaceData(copy);
  await postgres.start();
  const back = Date.now();
  await Promise.all([reprocessed, created].map(({ respond }) => respond()));
  await user.call('POST', `/v1/sources/${emptied.id}/reprocess`);
  await Promise.all([
    user.reach(reprocessed.id, 'COMPLETED', REPAIR_MS),
    user.reach(finished.id, 'COMPLETED', REPAIR_MS),
    user.reach(emptied.id, 'FAILED', REPAIR_MS),
    settledDeliveries(user, reprocessed.id, 1, REPAIR_MS),
    settledDeliveries(user, finished.id, 1, REPAIR_MS),
    settledDeliveries(user, emptied.id, 2, REPAIR_MS),
    settledDeliveries(user, delivered.id, 1, REPAIR_MS),
    // It is missing from the restored database.
    closedRun(service.temporal, created.id, REPAIR_MS),
  ]);
  expect(Date.now() - back).toBeLessThan(REPAIR_MS);

  // The run had generation 2, so the recovery has a higher number.
  expect((await generationsOf(service.database, reprocessed.id)).at(-1)).toMatchObject({
    generation: 3,
    trigger: 'recovery',
    outcome: 'COMPLETED',
  });
  expect((await distinctPostbacks(reprocessed.receiver)).map(({ generation, status }) => [generation, status])).toEqual(
    [[3, 'COMPLETED']],
  );
  expect(await user.get(emptied.id)).toMatchObject({ status: 'FAILED', error: { code: 'content_lost' } });
  const [again, ...others] = await distinctPostbacks(delivered.receiver);
  expect(others).toEqual([]);
  expect(again?.webhookId).toBe((await settledDeliveries(user, delivered.id))[0]?.id);
  for (const { receiver } of [reprocessed, finished, emptied, delivered]) {
    const ids = (await distinctPostbacks(receiver)).map(({ webhookId }) => webhookId);
    expect(new Set(ids).size).toBe(ids.length);
  }
  const runs = [reprocessed, finished, emptied, delivered, created].map(({ id }) => ({ sourceId: id }));
  for (const { sourceId } of runs) await closedRun(service.temporal, sourceId, REPAIR_MS);
  expect(await replayErrors(service.temporal, runs)).toEqual([]);
}, 240_000);
