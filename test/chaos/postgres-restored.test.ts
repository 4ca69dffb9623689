/** PostgreSQL is put back to a copy from before the last commands: Temporal, the bucket and receivers know more than it. */
import { parseConfig } from '../../platform/config.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { distinctPostbacks } from '../support/received-postbacks.ts';
import { brokenReplays } from '../support/replay.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** The service's promise, from the moment that PostgreSQL is back. */
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

const ANSWER = [{ body: '<h1>At last</h1><p>The page has answered.</p>' }];

/** A URI source with a receiver; its page answers so. */
async function source(answers: Parameters<typeof script>[1]) {
  const [page, receiver] = [sitePath('page'), sitePath('receiver')];
  const { id } = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, answers) },
    instructions: { postback_url: await script(receiver, [{ status: 204 }]) },
  });
  await until('the page is asked for', async () => (await received(page)).length === 1);
  return { id, page, receiver, answer: () => script(page, ANSWER) };
}

async function delivering() {
  const receiver = sitePath('receiver');
  const { id } = await user.content('Some words.', { postback_url: await script(receiver, [{ status: 503 }]) });
  await until('one attempt failed', async () => (await user.get(id)).postback?.attempts === 1);
  return { id, receiver };
}

/** Takes away what the bucket holds of a source, as the collector does with what came out of use. */
async function removeObjects(sourceId: string): Promise<void> {
  const storage = createStorage(storageOptions(parseConfig(service.settings)));
  const keys: string[] = [];
  for await (const { key } of storage.list(`sources/${sourceId}/`)) keys.push(key);
  await storage.deleteKeys(keys);
  storage.close();
}

test('what runs, what was sent and what is gone from the bucket all come to a true end, and no webhook-id to a second body', async () => {
  const [reprocessed, finished, emptied, delivered] = await Promise.all([
    source([{ hang: true }]),
    source([{ hang: true }, ...ANSWER]),
    source(ANSWER),
    delivering(),
  ]);
  await settledDeliveries(user, emptied.id);
  const postgres = service.server('postgres');
  await postgres.stop();
  const copy = await postgres.copyData();
  await postgres.start();

  // What the copy does not know.
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
  await Promise.all([reprocessed, created].map(({ answer }) => answer()));
  await user.call('POST', `/v1/sources/${emptied.id}/reprocess`);
  await Promise.all([
    user.reach(reprocessed.id, 'COMPLETED', REPAIR_MS),
    user.reach(finished.id, 'COMPLETED', REPAIR_MS),
    user.reach(emptied.id, 'FAILED', REPAIR_MS),
    settledDeliveries(user, reprocessed.id, 1, REPAIR_MS),
    settledDeliveries(user, finished.id, 1, REPAIR_MS),
    settledDeliveries(user, emptied.id, 2, REPAIR_MS),
    settledDeliveries(user, delivered.id, 1, REPAIR_MS),
    // The database has never heard of it.
    closedRun(service.temporal, created.id, REPAIR_MS),
  ]);
  expect(Date.now() - back).toBeLessThan(REPAIR_MS);

  // The run knew of generation 2, so the repair is above that.
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
  expect(await brokenReplays(service.temporal, runs)).toEqual([]);
}, 240_000);
