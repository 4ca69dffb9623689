import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, script, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

/** The service's promise: what is lost is found and set going again within a minute. */
const REPAIR_MS = 60_000;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({
    settings: {
      POSTBACK_SCHEDULE_SECONDS: '0,3,3',
      RECONCILER_SWEEP_SECONDS: '0.5',
      RECONCILER_GRACE_SECONDS: '1',
    },
  });
  await service.startWorker();
});
afterAll(() => service?.stop());

const terminate = (sourceId: string) =>
  service.temporal.workflow.getHandle(sourceWorkflowId(sourceId)).terminate('test');

test('a run that was terminated is repaired as a new generation, which ends the source', async () => {
  const user = await service.newUser();
  const path = sitePath('page');
  const url = await script(path, [{ hang: true }, { body: '<h1>Found again</h1><p>Some text.</p>' }]);
  const source = await user.create({ type: 'URI', initial_data: { data: url } });
  await until('the fetch has begun', async () => (await received(path)).length === 1);
  await terminate(source.id);
  const done = await user.reach(source.id, 'COMPLETED', REPAIR_MS);
  expect(done).toMatchObject({ generation: 2, resultGeneration: 2 });
  const { rows } = await service.database.pool.query(
    'select generation, trigger, outcome, repairs from source_generations where source_id = $1 order by generation',
    [source.id],
  );
  expect(rows).toEqual([
    { generation: 1, trigger: 'create', outcome: 'SUPERSEDED', repairs: 0 },
    { generation: 2, trigger: 'recovery', outcome: 'COMPLETED', repairs: 1 },
  ]);
});

test('a run that is lost again and again ends FAILED run_lost, with its postback', async () => {
  const user = await service.newUser();
  const page = sitePath('page');
  const postback = sitePath('postback');
  const source = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ hang: true }]) },
    instructions: { postback_url: await script(postback, [{ status: 200 }]) },
  });
  for (let lost = 1; lost <= 4; lost++) {
    await until(`fetch ${lost} has begun`, async () => (await received(page)).length === lost, REPAIR_MS);
    await terminate(source.id);
  }
  const failed = await user.reach(source.id, 'FAILED', REPAIR_MS);
  expect(failed.error).toMatchObject({ code: 'run_lost', retryable: true });
  await until('the postback arrives', async () => (await received(postback)).length === 1, REPAIR_MS);
}, 180_000);

test('a postback whose run was terminated is delivered by a new run', async () => {
  const user = await service.newUser();
  const path = sitePath('postback');
  const url = await script(path, [{ status: 500 }, { status: 200 }]);
  const source = await user.content('Text.', { postback_url: url });
  await until('one attempt failed', async () => (await user.get(source.id)).postback?.attempts === 1);
  await terminate(source.id);
  await until('it is delivered', async () => (await user.get(source.id)).postback?.state === 'delivered', REPAIR_MS);
  expect(await received(path)).toHaveLength(2);
  expect((await user.get(source.id)).generation).toBe(1);
});
