/** Many runs of one owner wait in the outbox and not in Temporal, and delay nothing else. */
import { WaitingRuns } from '../../../apps/dispatcher/outbox/waiting-runs.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { until } from '../../support/until.ts';

const MAX_WAITING = 5;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({
    settings: { DISPATCHER_OWNER_RUNS: String(MAX_WAITING), DISPATCHER_CONCURRENCY: '1' },
  });
});
afterAll(() => service?.stop());

async function count(text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await service.database.pool.query(`select count(*)::int as count from ${text}`, values);
  return rows[0].count;
}
const startsLeft = (ownerId: string) => count("outbox where owner_id = $1 and command = 'start'", [ownerId]);

test('a waiting run is signaled of a new generation although its owner is at the limit of waiting runs', async () => {
  const user = await service.newUser();
  const sources = [];
  for (let number = 0; number < MAX_WAITING; number += 1) sources.push(await user.content('One of some.'));
  await until('all are started', async () => (await startsLeft(user.userId)) === 0);
  const ids = sources.map(({ id }) => id);
  await user.call('POST', `/v1/spaces/${user.spaceId}/sources/actions`, { action: 'reprocess', ids });
  await until('all are signaled', async () => (await count('outbox where owner_id = $1', [user.userId])) === 0);
  expect(await count("sources where owner_id = $1 and status = 'PENDING'", [user.userId])).toBe(MAX_WAITING);
});

test('a run started during the refresh of the waiting runs counts as waiting', async () => {
  const user = await service.newUser();
  const [first, second] = [await user.content('One of two.'), await user.content('The other one.')];
  await until('both are started', async () => (await startsLeft(user.userId)) === 0);
  const runs = new WaitingRuns(2);
  runs.add(user.userId, first.id);
  const refreshing = runs.refresh(service.database);
  runs.add(user.userId, second.id);
  await refreshing;
  expect(runs.fullOwners).toEqual([user.userId]);
});

test(`an owner has at most ${MAX_WAITING} waiting runs; starts of others and cancels pass the rest`, async () => {
  // Long enough that the dispatcher reads the waiting runs while a command is sent and not yet removed.
  await service.database.pool.query(`
    create function remove_slowly() returns trigger language plpgsql
      as $$ begin perform pg_sleep(0.2); return old; end $$;
    create trigger remove_slowly before delete on outbox for each row execute function remove_slowly()`);
  const [busy, other] = await Promise.all([service.newUser(), service.newUser()]);
  const sources = [];
  for (let number = 0; number < 4 * MAX_WAITING; number += 1) sources.push(await busy.content('One of many.'));
  await until('the first ones are started', async () => (await startsLeft(busy.userId)) === 3 * MAX_WAITING);
  const single = await other.content('A single one.');
  await until("the other's is started", async () => (await startsLeft(other.userId)) === 0);
  expect((await other.get(single.id)).status).toBe('PENDING');
  const canceled = sources.slice(0, 3);
  for (const { id } of canceled) await busy.call('POST', `/v1/sources/${id}/cancel`);
  await until('the cancels are sent', async () => (await count("outbox where command = 'cancel'")) === 0);
  // Canceled runs no longer wait. Less than half of the limit is left, so runs are started up to the limit.
  await until('others are started', async () => (await startsLeft(busy.userId)) === 3 * MAX_WAITING - canceled.length);
  expect(await count("sources where owner_id = $1 and status = 'PENDING'", [busy.userId])).toBe(MAX_WAITING);

  await service.startWorker();
  await Promise.all(sources.slice(canceled.length).map(({ id }) => busy.reach(id, 'COMPLETED', 60_000)));
  await until('none is left', async () => (await startsLeft(busy.userId)) === 0);
}, 120_000);
