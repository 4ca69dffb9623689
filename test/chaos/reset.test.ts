/** A run that an operator resets to its first event: it does everything again that it ever did. */
import { deliveries, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { brokenReplays, type PlayedRun } from '../support/replay.ts';
import { resetRun } from '../support/reset-run.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** The service's promise for whatever has to be set going again. */
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

const played: PlayedRun[] = [];

/** Resets the newest run of a source, and returns the id of the run that follows it. */
async function reset(sourceId: string): Promise<string> {
  const runId = await resetRun(service.temporal, sourceId);
  played.push({ sourceId, runId });
  return runId;
}

const idsAt = async (path: string) => (await received(path)).map(({ headers }) => headers['webhook-id']);

/** What readers see of a source, and where it lies. */
async function shown(sourceId: string) {
  const { rows } = await service.database.pool.query(
    `select s.status, s.generation, s.revision, g.content_key, g.markdown_key, g.context_key, g.artifacts_generation
     from sources s join source_generations g on g.id = s.result_generation_id where s.id = $1`,
    [sourceId],
  );
  return rows[0];
}

describe('a run that is reset to its first event', () => {
  test.concurrent('in the middle takes its generation up again: one result, one postback', async () => {
    const user = await service.newUser();
    const page = sitePath('page');
    const postback = sitePath('postback');
    const url = await script(page, [{ hang: true }, { body: '<h1>Again</h1><p>The page as it is now.</p>' }]);
    const source = await user.create({
      type: 'URI',
      initial_data: { data: url },
      instructions: { postback_url: await script(postback, [{ status: 204 }]) },
    });
    await until('the page is asked for', async () => (await received(page)).length === 1);
    await reset(source.id);
    const done = await user.reach(source.id, 'COMPLETED', REPAIR_MS);
    expect(done).toMatchObject({ generation: 1, resultGeneration: 1, contextGeneration: 1, artifactsGeneration: 1 });
    expect(await user.markdown(source.id)).toContain('The page as it is now.');
    await closedRun(service.temporal, source.id);
    const [delivered] = await settledDeliveries(user, source.id);
    expect(await idsAt(postback)).toEqual([delivered?.id]);
    await until('the first request is broken off', async () => (await received(page))[0]?.aborted);
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
    const before = await shown(source.id);
    const runId = await reset(source.id);
    expect((await closedRun(service.temporal, source.id, REPAIR_MS)).runId).toBe(runId);
    expect(await shown(source.id)).toEqual(before);
    expect(await received(page)).toHaveLength(1);
    expect(await received(postback)).toHaveLength(1);
    expect(await deliveries(user, source.id)).toHaveLength(1);
  });

  test.concurrent('while its postback waits goes on with the schedule and the id of that', async () => {
    const user = await service.newUser();
    const postback = sitePath('postback');
    const url = await script(postback, [{ status: 503 }, { status: 204 }]);
    const source = await user.content('Text.', { postback_url: url });
    await until('one attempt failed', async () => (await user.get(source.id)).postback?.attempts === 1);
    await reset(source.id);
    const [delivered] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(delivered).toMatchObject({ state: 'delivered', generation: 1 });
    await closedRun(service.temporal, source.id, REPAIR_MS);
    expect(await idsAt(postback)).toEqual([delivered?.id, delivered?.id]);
    const [first, second] = await received(postback);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(3_000);
  });

  test.concurrent('after it was reprocessed does no generation again, the superseded one neither', async () => {
    const user = await service.newUser();
    const page = sitePath('page');
    const postback = sitePath('postback');
    const source = await user.create({
      type: 'URI',
      initial_data: { data: await script(page, [{ hang: true }, { body: '<p>The second look.</p>' }]) },
      instructions: { postback_url: await script(postback, [{ status: 204 }]) },
    });
    await until('the page is asked for', async () => (await received(page)).length === 1);
    await user.call('POST', `/v1/sources/${source.id}/reprocess`);
    await settledDeliveries(user, source.id);
    await closedRun(service.temporal, source.id);
    const before = await shown(source.id);
    const runId = await reset(source.id);
    expect((await closedRun(service.temporal, source.id, REPAIR_MS)).runId).toBe(runId);
    expect(await shown(source.id)).toEqual(before);
    expect(await generationsOf(service.database, source.id)).toMatchObject([
      { generation: 1, outcome: 'SUPERSEDED' },
      { generation: 2, trigger: 'reprocess', outcome: 'COMPLETED' },
    ]);
    expect(await received(page)).toHaveLength(2);
    expect(await received(postback)).toHaveLength(1);
  });
});

test('runs that were reset replay', async () => {
  expect(played).toHaveLength(4);
  expect(await brokenReplays(service.temporal, played)).toEqual([]);
});
