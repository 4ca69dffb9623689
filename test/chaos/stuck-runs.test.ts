/** Open runs without progress: stuck runs are replaced, waiting runs are not. */
import { join } from 'node:path';
import { received, script, sitePath } from '../support/client.ts';
import { bundleWithFault } from '../support/faulty-bundle.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { blockedIn, blockStages } from '../support/refused-stage.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const STUCK_SECONDS = 2;
const settings = {
  RECONCILER_SWEEP_SECONDS: '0.3',
  RECONCILER_GRACE_SECONDS: '0.5',
  RECONCILER_STUCK_SECONDS: String(STUCK_SECONDS),
  FETCH_RETRY_SECONDS: '60',
};

let service: PrivateService;
let worker: ServicePart;
beforeAll(async () => {
  service = await startPrivateService({ settings });
  await blockStages(service.database);
});
afterAll(() => service?.stop());

/** Waits until the reconciler has checked a source for three times the time after which a stuck run is replaced. */
function awaitLateCheck(sourceId: string): Promise<unknown> {
  return until(`the reconciler has checked ${sourceId} after ${3 * STUCK_SECONDS} s`, async () => {
    const { rows } = await service.database.pool.query(
      'select 1 from sources where id = $1 and checked_at > created_at + make_interval(secs => $2)',
      [sourceId, 3 * STUCK_SECONDS],
    );
    return rows.length === 1;
  });
}

test('a run that waits for a worker does not count as stuck', async () => {
  const user = await service.newUser();
  const { id } = await user.content('Text that waits.');
  await awaitLateCheck(id);
  worker = await service.startWorker();
  expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 1 });
});

test('a run that waits for members or for the retry of a fetch does not count as stuck', async () => {
  const user = await service.newUser();
  const page = await script(sitePath('page'), [
    { status: 503, headers: { 'retry-after': '8' } },
    { body: '<p>Some text of the page.</p>' },
  ]);
  const member = await user.create({ type: 'URI', initial_data: { data: page } });
  const composition = await user.create({ type: 'COMPOSITION', initial_data: { data: [member.id] } });
  await Promise.all([awaitLateCheck(member.id), awaitLateCheck(composition.id)]);
  expect(await user.reach(member.id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1 });
  expect(await user.reach(composition.id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1 });
});

test('a run whose last write keeps failing is replaced, and its successor ends the source', async () => {
  const user = await service.newUser();
  const { id } = await user.create({ name: blockedIn('finish'), type: 'CONTENT', initial_data: { data: 'Text.' } });
  expect(await user.reach(id, 'COMPLETED', 60_000)).toMatchObject({ generation: 2, resultGeneration: 2 });
  expect(await generationsOf(service.database, id)).toMatchObject([
    { trigger: 'create', outcome: 'SUPERSEDED' },
    { trigger: 'recovery', outcome: 'COMPLETED' },
  ]);
});

test('an idle run is replaced; after three replacements the source ends FAILED run_lost, with its postback', async () => {
  const user = await service.newUser();
  const bundle = await bundleWithFault('fetch-forgotten', join(stack().dataFolder, 'fetch-forgotten.js'));
  await worker.stop();
  const faulty = await service.startWorker({ WORKFLOW_BUNDLE: bundle });
  const [page, postback] = [sitePath('page'), sitePath('postback')];
  const source = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ body: '<p>Some text of the page.</p>' }]) },
    instructions: { postback_url: await script(postback, [{ status: 200 }]) },
  });
  const failed = await user.reach(source.id, 'FAILED', 60_000);
  expect(failed).toMatchObject({ generation: 4, error: { code: 'run_lost', retryable: true } });
  await until('its postback is received', async () => (await received(postback)).length === 1);
  expect(await received(page)).toEqual([]);
  await faulty.stop();
  await service.startWorker();
  await user.call('POST', `/v1/sources/${source.id}/reprocess`);
  expect(await user.reach(source.id, 'COMPLETED')).toMatchObject({ generation: 5 });
});
