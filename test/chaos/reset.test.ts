/** An operator resets a run to its first event: the run repeats all its commands. */
import { deliveries, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { type RunRef, replayErrors } from '../support/replay.ts';
import { resetRun } from '../support/reset-run.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** Promised recovery time. */
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

const resetRuns: RunRef[] = [];

/** Resets the newest run of a source. Returns the id of the new run. */
async function reset(sourceId: string): Promise<string> {
  const runId = await resetRun(service.temporal, sourceId);
  resetRuns.push({ sourceId, runId });
  return runId;
}

const webhookIdsAt = async (path: string) => (await received(path)).map(({ headers }) => headers['webhook-id']);

/** Reads the state of a source and the keys of its results. */
async function stateOf(sourceId: string) {
  const { rows } = await service.database.pool.query(
    `select s.status, s.generation, s.revision, g.content_key, g.markdown_key, g.context_key, g.artifacts_generation
     from sources s join source_generations g on g.id = s.result_generation_id where s.id = $1`,
    [sourceId],
  );
  return rows[0];
}

describe('a run that is reset to its first event', () => {
  test.concurrent('before its end repeats its generation: one result, one postback', async () => {
    const user = await service.newUser();
    const page = sitePath('page');
    const postback = sitePath('postback');
    const url = await script(page, [{ hang: true }, { body: '<h1>Again</h1><p>The page as it is now.</p>' }]);
    const source = await user.create({
      type: 'URI',
      initial_data: { data: url },
      instructions: { postback_url: await script(postback, [{ status: 204 }]) },
    });
    await until('the page is requested', async () => (await received(page)).length === 1);
    await reset(source.id);
    const done = await user.reach(source.id, 'COMPLETED', REPAIR_MS);
    expect(done).toMatchObject({ generation: 1, resultGeneration: 1, contextGeneration: 1, artifactsGeneration: 1 });
    expect(await user.markdown(source.id)).toContain('The page as it is now.');
    await closedRun(service.temporal, source.id);
    const [delivered] = await settledDeliveries(user, source.id);
    expect(await webhookIdsAt(postback)).toEqual([delivered?.id]);
    await until('the first request is aborted', async () => (await received(page))[0]?.aborted);
    expect(await received(page)).toHaveLength(2);
  });

  test.concurrent('after its end changes nothing and sends nothing', async () => {
    const user = await service.newUser();
    const page = sitePath('page');
    const postback = sitePath('postback');
    const source = await user.create({
      type: 'URI',
      initial_data: { data: await script(page, [{ body: '<p>Once.</p>' }, { body: '<p>Twice.</p>' }]) },
      instructions: { postback_url: await script(postback, [{ status: 204 }]) },
    });
    await settledDeliveries(user, source.id);
    await closedRun(service.temporal, source.id);
    const before = await stateOf(source.id);
    const runId = await reset(source.id);
    expect((await closedRun(service.temporal, source.id, REPAIR_MS)).runId).toBe(runId);
    expect(await stateOf(source.id)).toEqual(before);
    expect(await received(page)).toHaveLength(1);
    expect(await received(postback)).toHaveLength(1);
    expect(await deliveries(user, source.id)).toHaveLength(1);
  });

  test.concurrent('while its postback waits keeps the schedule and the webhook-id', async () => {
    const user = await service.newUser();
    const postback = sitePath('postback');
    const url = await script(postback, [{ status: 503 }, { status: 204 }]);
    const source = await user.content('Text.', { postback_url: url });
    await until('one attempt failed', async () => (await user.get(source.id)).postback?.attempts === 1);
    await reset(source.id);
    const [delivered] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(delivered).toMatchObject({ state: 'delivered', generation: 1 });
    await closedRun(service.temporal, source.id, REPAIR_MS);
    expect(await webhookIdsAt(postback)).toEqual([delivered?.id, delivered?.id]);
    const [first, second] = await received(postback);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(3_000);
  });

  test.concurrent('after a reprocess repeats no generation, not even the superseded one', async () => {
    const user = await service.newUser();
    const page = sitePath('page');
    const postback = sitePath('postback');
    const source = await user.create({
      type: 'URI',
      initial_data: { data: await script(page, [{ hang: true }, { body: '<p>The second look.</p>' }]) },
      instructions: { postback_url: await script(postback, [{ status: 204 }]) },
    });
    await until('the page is requested', async () => (await received(page)).length === 1);
    await user.call('POST', `/v1/sources/${source.id}/reprocess`);
    await settledDeliveries(user, source.id);
    await closedRun(service.temporal, source.id);
    const before = await stateOf(source.id);
    const runId = await reset(source.id);
    expect((await closedRun(service.temporal, source.id, REPAIR_MS)).runId).toBe(runId);
    expect(await stateOf(source.id)).toEqual(before);
    expect(await generationsOf(service.database, source.id)).toMatchObject([
      { generation: 1, outcome: 'SUPERSEDED' },
      { generation: 2, trigger: 'reprocess', outcome: 'COMPLETED' },
    ]);
    expect(await received(page)).toHaveLength(2);
    expect(await received(postback)).toHaveLength(1);
  });
});

test('histories of reset runs replay', async () => {
  expect(resetRuns).toHaveLength(4);
  expect(await replayErrors(service.temporal, resetRuns)).toEqual([]);
});
