/** Runs that are closed outside the service's control, for example terminated by an operator. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { stages } from '../../contract/statuses.ts';
import { deliveries, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { awaitBlocked, blockedIn, blockStages } from '../support/refused-stage.ts';
import { until } from '../support/until.ts';

/** Promised recovery time of a lost run. */
const REPAIR_MS = 60_000;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({
    settings: {
      POSTBACK_SCHEDULE_SECONDS: '0,3,3',
      RECONCILER_SWEEP_SECONDS: '0.5',
      RECONCILER_GRACE_SECONDS: '1',
      // A reminder that coincides with the termination may restart generation 1, whose begin is blocked for ever.
      RECONCILER_STUCK_SECONDS: '10',
    },
  });
  await blockStages(service.database);
  await service.startWorker();
});
afterAll(() => service?.stop());

const terminate = (sourceId: string) =>
  service.temporal.workflow.getHandle(sourceWorkflowId(sourceId)).terminate('test');

describe('a run that is terminated', () => {
  test.concurrent.each(stages)('in the stage %s is replaced by a recovery, with its postback', async (stage) => {
    const user = await service.newUser();
    const member = await user.content('A member.');
    const page = await script(sitePath('page'), [{ body: '<h1>A page</h1><p>Some text.</p>' }]);
    const postback = sitePath('postback');
    const source = await user.create({
      name: blockedIn(stage),
      ...(stage === 'wait'
        ? { type: 'COMPOSITION', initial_data: { data: [member.id] } }
        : { type: 'URI', initial_data: { data: page } }),
      instructions: { postback_url: await script(postback, [{ status: 204 }]) },
    });
    await awaitBlocked(service.temporal, source.id, stage);
    await terminate(source.id);
    const terminated = Date.now();
    const done = await user.reach(source.id, 'COMPLETED', REPAIR_MS);
    const [delivered] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(Date.now() - terminated).toBeLessThan(REPAIR_MS);
    expect(done).toMatchObject({ generation: 2, resultGeneration: 2 });
    // A run whose begin was blocked for long may have been replaced as stuck before it was terminated.
    const causes = stage === 'begin' ? /^(closed|stuck)$/ : /^closed$/;
    expect(await generationsOf(service.database, source.id)).toEqual([
      { generation: 1, trigger: 'create', outcome: 'SUPERSEDED', repairs: 0, cause: null },
      { generation: 2, trigger: 'recovery', outcome: 'COMPLETED', repairs: 1, cause: expect.stringMatching(causes) },
    ]);
    const [sent, ...more] = await received(postback);
    expect(more).toEqual([]);
    expect(sent?.headers['webhook-id']).toBe(delivered?.id);
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ data: { generation: 2, status: 'COMPLETED' } });
  });

  test.concurrent('between two delivery attempts is followed by a run that delivers', async () => {
    const user = await service.newUser();
    const path = sitePath('postback');
    const url = await script(path, [{ status: 500 }, { status: 200 }]);
    const source = await user.content('Text.', { postback_url: url });
    await until('one attempt failed', async () => (await user.get(source.id)).postback?.attempts === 1);
    await terminate(source.id);
    const [delivered] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(delivered?.state).toBe('delivered');
    expect((await received(path)).map(({ headers }) => headers['webhook-id'])).toEqual([delivered?.id, delivered?.id]);
    expect((await user.get(source.id)).generation).toBe(1);
  });

  test.concurrent('during a delivery attempt is followed by a run that sends the same request again', async () => {
    const user = await service.newUser();
    const path = sitePath('postback');
    const url = await script(path, [{ hang: true }, { status: 200 }]);
    const source = await user.content('Text.', { postback_url: url });
    await until('the receiver has a request', async () => (await received(path)).length === 1);
    await terminate(source.id);
    const [delivered] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(delivered).toMatchObject({ state: 'delivered', generation: 1 });
    const [aborted, completed] = await received(path);
    expect(completed?.headers['webhook-id']).toBe(delivered?.id);
    expect(aborted?.headers['webhook-id']).toBe(delivered?.id);
    expect(aborted?.body).toBe(completed?.body);
  });

  test.concurrent('four times ends FAILED run_lost, with one postback', async () => {
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
    expect(failed).toMatchObject({ generation: 4, error: { code: 'run_lost', retryable: true } });
    await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(await deliveries(user, source.id)).toMatchObject([{ generation: 4, state: 'delivered' }]);
    expect(await received(postback)).toHaveLength(1);
  }, 180_000);
});
