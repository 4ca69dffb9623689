/** Runs whose workflow task keeps failing, because of a bug in the workflow code or a history that it cannot replay. */
import { join } from 'node:path';
import { received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { bundleWithFault } from '../support/faulty-bundle.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { distinctPostbacks } from '../support/received-postbacks.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** Here one failed workflow task makes a run count as failing; the default is ten in a row. */
const REPAIR_MS = 60_000;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({
    settings: {
      RECONCILER_SWEEP_SECONDS: '0.5',
      RECONCILER_GRACE_SECONDS: '1',
      RECONCILER_TASK_FAILURES: '1',
    },
  });
});
afterAll(() => service?.stop());

const startFaultyWorker = async (fault: string) =>
  service.startWorker({ WORKFLOW_BUNDLE: await bundleWithFault(fault, join(stack().dataFolder, `${fault}.js`)) });

test('a run whose every workflow task fails ends FAILED run_lost with its postback, and does not block others', async () => {
  const worker = await startFaultyWorker('fetch-throws');
  const user = await service.newUser();
  const postback = sitePath('postback');
  const page = sitePath('page');
  const source = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ body: '<p>Never asked for.</p>' }]) },
    instructions: { postback_url: await script(postback, [{ status: 204 }]) },
  });
  const other = await user.content('Beside it.');
  await user.reach(other.id, 'COMPLETED');
  const failed = await user.reach(source.id, 'FAILED', REPAIR_MS);
  expect(failed).toMatchObject({ generation: 4, error: { code: 'run_lost', retryable: true } });
  const [delivery] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
  expect(delivery?.state).toBe('delivered');
  expect(await distinctPostbacks(postback)).toMatchObject([
    { webhookId: delivery?.id, generation: 4, status: 'FAILED' },
  ]);
  expect(await received(page)).toEqual([]);

  // The remedy that the error message recommends.
  await worker.kill();
  const repaired = await service.startWorker();
  await user.call('POST', `/v1/sources/${source.id}/reprocess`);
  await user.reach(source.id, 'COMPLETED', REPAIR_MS);
  await repaired.stop();
}, 120_000);

test('a run whose history the workers cannot replay ends COMPLETED as a new generation', async () => {
  const worker = await startFaultyWorker('sleeps-before-fetch');
  const user = await service.newUser();
  const page = sitePath('page');
  const source = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ hang: true }, { body: '<p>The words of the page.</p>' }]) },
  });
  await until('the page is requested', async () => (await received(page)).length === 1);
  await worker.kill();
  const deployed = await service.startWorker();
  await user.reach(source.id, 'COMPLETED', REPAIR_MS);
  expect(await generationsOf(service.database, source.id)).toEqual([
    { generation: 1, trigger: 'create', outcome: 'SUPERSEDED', repairs: 0, cause: null },
    { generation: 2, trigger: 'recovery', outcome: 'COMPLETED', repairs: 1, cause: 'failing' },
  ]);
  await deployed.stop();
}, 120_000);
