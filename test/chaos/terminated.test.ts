/** A run that Temporal ended without asking us: by an operator's hand, a time-out, or a bug of theirs. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { stages } from '../../contract/statuses.ts';
import { deliveries, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { heldIn, holdsIn, refuseStages } from '../support/refused-stage.ts';
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
      // A reminder may meet the termination and start the first generation again, whose begin is refused for ever.
      RECONCILER_STUCK_SECONDS: '10',
    },
  });
  await refuseStages(service.database);
  await service.startWorker();
});
afterAll(() => service?.stop());

const terminate = (sourceId: string) =>
  service.temporal.workflow.getHandle(sourceWorkflowId(sourceId)).terminate('test');

describe('a run that is terminated', () => {
  test.concurrent.each(stages)('in the stage %s is repaired as a new generation, with its postback', async (stage) => {
    const user = await service.newUser();
    const member = await user.content('A member.');
    const page = await script(sitePath('page'), [{ body: '<h1>A page</h1><p>Some text.</p>' }]);
    const postback = sitePath('postback');
    const source = await user.create({
      name: heldIn(stage),
      ...(stage === 'wait'
        ? { type: 'COMPOSITION', initial_data: { data: [member.id] } }
        : { type: 'URI', initial_data: { data: page } }),
      instructions: { postback_url: await script(postback, [{ status: 204 }]) },
    });
    await holdsIn(service.temporal, source.id, stage);
    await terminate(source.id);
    const terminated = Date.now();
    const done = await user.reach(source.id, 'COMPLETED', REPAIR_MS);
    const [delivered] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(Date.now() - terminated).toBeLessThan(REPAIR_MS);
    expect(done).toMatchObject({ generation: 2, resultGeneration: 2 });
    // A begin that was refused for long enough may have been replaced before it was terminated.
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

  test.concurrent('between two attempts of a delivery is followed by one that delivers', async () => {
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

  test.concurrent('in the middle of an attempt to deliver is followed by one that sends the same again', async () => {
    const user = await service.newUser();
    const path = sitePath('postback');
    const url = await script(path, [{ hang: true }, { status: 200 }]);
    const source = await user.content('Text.', { postback_url: url });
    await until('the receiver is asked', async () => (await received(path)).length === 1);
    await terminate(source.id);
    const [delivered] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
    expect(delivered).toMatchObject({ state: 'delivered', generation: 1 });
    const [broken, whole] = await received(path);
    expect(whole?.headers['webhook-id']).toBe(delivered?.id);
    expect(broken?.headers['webhook-id']).toBe(delivered?.id);
    expect(broken?.body).toBe(whole?.body);
  });

  test.concurrent('again and again ends FAILED run_lost, with one postback', async () => {
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
