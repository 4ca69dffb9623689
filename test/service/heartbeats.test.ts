/** Heartbeats are at least 10 s apart, since each is a call to Temporal. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, release, script, sitePath, type TestUser } from '../support/client.ts';
import { type GrpcProxy, startGrpcProxy } from '../support/grpc-proxy.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const MIN_INTERVAL_MS = 10_000;
/** 4.9 MB of loose list items, whose extraction takes far longer than the test waits. */
const endless = '- a b c\n\n'.repeat(550_000);

let proxy: GrpcProxy;
let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  const { TEMPORAL_ADDRESS = '' } = stack().settings;
  proxy = await startGrpcProxy(TEMPORAL_ADDRESS);
  service = await startPrivateService({
    // One child is busy during the whole test.
    settings: { POSTBACK_SCHEDULE_SECONDS: '0,60', EXTRACTION_PROCESSES: '2' },
  });
  await service.startWorker({ TEMPORAL_ADDRESS: proxy.address });
  user = await service.newUser();
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await proxy?.close();
});

/** Times of the heartbeats of each activity attempt, by task token. */
function heartbeats(): Map<string, number[]> {
  const byAttempt = new Map<string, number[]>();
  for (const { taskToken, at } of proxy.calls) {
    if (taskToken !== undefined) byAttempt.set(taskToken, [...(byAttempt.get(taskToken) ?? []), at]);
  }
  return byAttempt;
}
const maxPerAttempt = () => Math.max(0, ...[...heartbeats().values()].map(({ length }) => length));

test('no activity attempt sends two heartbeats within 10 s', async () => {
  const page = sitePath('slow');
  const slow = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ held: true, body: '<p>The page at last.</p>' }]) },
  });
  const composition = await user.create({ type: 'COMPOSITION', initial_data: { data: [slow.id] } });
  const long = await user.content(endless);
  const failing = await user.create({
    type: 'URI',
    initial_data: { data: await script(sitePath('failing'), [{ status: 503, afterMs: 700 }]) },
  });
  const receiver = sitePath('receiver');
  const delivering = await user.content('Some words.', { postback_url: await script(receiver, [{ hang: true }]) });
  await until('the postback is requested', async () => (await received(receiver)).length === 1, 120_000);

  await until('an activity has sent three heartbeats', async () => maxPerAttempt() >= 3, 120_000);
  expect((await user.get(composition.id)).progress?.stage).toBe('wait');
  await user.call('POST', `/v1/sources/${long.id}/cancel`);
  await release(page);
  await user.reach(slow.id, 'COMPLETED', 60_000);
  await user.reach(composition.id, 'COMPLETED', 60_000);
  expect((await user.get(failing.id)).error?.code).toBe('fetch_http_status');
  expect((await user.get(delivering.id)).postback).toMatchObject({ attempts: 1 });

  const attempts = [...heartbeats().values()];
  // The page, the long text, and two attempts at the failing one.
  expect(attempts.length).toBeGreaterThanOrEqual(4);
  for (const times of attempts) {
    for (const [n, at] of times.entries()) {
      if (n > 0) expect(at - (times[n - 1] ?? 0)).toBeGreaterThanOrEqual(MIN_INTERVAL_MS);
    }
  }
}, 300_000);

test('checks of members and delivery attempts send no heartbeats', async () => {
  const before = proxy.calls.length;
  const page = sitePath('member');
  const member = await user.create({
    type: 'URI',
    initial_data: { data: await script(page, [{ held: true, body: '<p>A member.</p>' }]) },
  });
  const composition = await user.create({ type: 'COMPOSITION', initial_data: { data: [member.id] } });
  const run = service.temporal.workflow.getHandle(sourceWorkflowId(composition.id));
  await until(
    'it has checked three times',
    async () => ((await run.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) > 3,
    60_000,
  );
  const failing = sitePath('failing-receiver');
  const { id } = await user.content('Text.', {
    postback_url: await script(failing, [{ status: 500 }, { status: 204 }]),
  });
  await until('the first attempt failed', async () => (await user.get(id)).postback?.attempts === 1, 60_000);
  const calls = proxy.calls.slice(before);
  expect(calls.filter(({ method }) => method === 'RespondActivityTaskFailed').length).toBeGreaterThanOrEqual(4);
  // One by the fetch of the member, and none by the extraction of the text, which ends with its first attempt.
  expect(calls.filter(({ taskToken }) => taskToken !== undefined)).toHaveLength(1);
  await release(page);
  await user.reach(composition.id, 'COMPLETED', 60_000);
}, 120_000);
