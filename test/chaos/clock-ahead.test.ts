/** A worker whose clock is five minutes ahead keeps all schedules. */
import { fileURLToPath } from 'node:url';
import { received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const OFFSET_MS = 300_000;
const SECOND_ATTEMPT_SECONDS = 3;
const FETCH_RETRY_SECONDS = 4;
const MEMBER_WAIT_SECONDS = 4;

let service: PrivateService;
let worker: ServicePart;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({
    settings: {
      POSTBACK_SCHEDULE_SECONDS: `0,${SECOND_ATTEMPT_SECONDS}`,
      FETCH_RETRY_SECONDS: String(FETCH_RETRY_SECONDS),
      MEMBER_WAIT_SECONDS: String(MEMBER_WAIT_SECONDS),
    },
  });
  worker = await service.startWorker({
    NODE_OPTIONS: `--import=${fileURLToPath(new URL('storm/clock-offset.ts', import.meta.url))}`,
    CLOCK_OFFSET_MS: String(OFFSET_MS),
  });
  user = await service.newUser();
});
afterAll(() => service?.stop());

/** Duration of the source's first generation in seconds, by the clock of PostgreSQL. */
async function secondsOf(sourceId: string): Promise<number> {
  const { rows } = await service.database.pool.query(
    `select extract(epoch from finished_at - started_at)::float8 as seconds from source_generations
     where source_id = $1 and generation = 1`,
    [sourceId],
  );
  return rows[0].seconds;
}

test('the clock of the worker is five minutes ahead', async () => {
  const metrics = await (await fetch(`${worker.url}/metrics`)).text();
  const startedAt = Number(/^process_start_time_seconds (.*)$/m.exec(metrics)?.[1]);
  expect(startedAt * 1_000).toBeGreaterThan(Date.now() + OFFSET_MS / 2);
});

test('a postback is not sent before it is due, and is signed with the true time', async () => {
  const receiver = sitePath('receiver');
  const { id } = await user.content('Some text.', {
    postback_url: await script(receiver, [{ status: 500 }, { status: 200 }]),
  });
  const [delivery] = await settledDeliveries(user, id, 1, 50_000);
  expect(delivery?.attempts).toMatchObject([{ statusCode: 500 }, { statusCode: 200 }]);
  const requests = await received(receiver);
  expect(requests).toHaveLength(2);
  const [first, second] = requests.map(({ at }) => at);
  const seconds = ((second ?? 0) - (first ?? 0)) / 1_000;
  expect(seconds).toBeGreaterThanOrEqual(SECOND_ATTEMPT_SECONDS);
  expect(seconds).toBeLessThan(60);
  for (const { at, headers } of requests) {
    expect(Math.abs(Number(headers['webhook-timestamp']) - at / 1_000)).toBeLessThan(5);
  }
  const [row] = delivery?.attempts ?? [];
  expect(Math.abs(new Date(row?.at ?? 0).getTime() - (first ?? 0))).toBeLessThan(5_000);
});

test('a postback that was rescheduled by another process is not sent before it is due', async () => {
  const receiver = sitePath('receiver');
  const { id } = await user.content('Some text.', { postback_url: await script(receiver, [{ status: 200 }]) });
  await settledDeliveries(user, id, 1, 50_000);
  const dueIn = 4;
  const rescheduledAt = Date.now();
  await service.database.pool.query(
    `with again as (
       update postbacks set state = 'pending', round = 2, attempts = 0, next_attempt_at = now() + make_interval(secs => $2)
       where source_id = $1
     )
     insert into outbox (owner_id, source_id, command, generation)
     select owner_id, id, 'deliver', generation from sources where id = $1`,
    [id, dueIn],
  );
  await settledDeliveries(user, id, 1, 50_000);
  const [, again] = await received(receiver);
  // The row has millisecond precision.
  expect((again?.at ?? 0) - rescheduledAt).toBeGreaterThanOrEqual(dueIn * 1_000 - 1);
});

test(`a failing fetch is retried for ${FETCH_RETRY_SECONDS} s`, async () => {
  const page = sitePath('page');
  const { id } = await user.create({ type: 'URI', initial_data: { data: await script(page, [{ status: 503 }]) } });
  await user.reach(id, 'FAILED');
  // After 0, 1 and 3 s; the next retry would be after 7 s.
  expect(await received(page)).toHaveLength(3);
});

test(`a composition waits ${MEMBER_WAIT_SECONDS} s for its members`, async () => {
  const page = sitePath('hanging');
  const member = await user.create({ type: 'URI', initial_data: { data: await script(page, [{ hang: true }]) } });
  await until('the page is requested', async () => (await received(page)).length === 1);
  const { id } = await user.create({ type: 'COMPOSITION', initial_data: { data: [member.id] } });
  expect(await user.reach(id, 'FAILED')).toMatchObject({ error: { code: 'member_timeout' } });
  const seconds = await secondsOf(id);
  expect(seconds).toBeGreaterThanOrEqual(MEMBER_WAIT_SECONDS);
  expect(seconds).toBeLessThan(60);
  await user.call('POST', `/v1/sources/${member.id}/cancel`);
});
