/** One owner's many runs wait in the outbox rather than in Temporal, and nothing else waits for them. */
import { WaitingRuns } from '../../../apps/dispatcher/outbox/waiting-runs.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { until } from '../../support/until.ts';

const AHEAD = 5;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({
    settings: { DISPATCHER_OWNER_RUNS: String(AHEAD), DISPATCHER_CONCURRENCY: '1' },
  });
});
afterAll(() => service?.stop());

async function count(text: string, values: unknown[] = []): Promise<number> {
  const { rows } = await service.database.pool.query(`select count(*)::int as count from ${text}`, values);
  return rows[0].count;
}
const startsLeft = (ownerId: string) => count("outbox where owner_id = $1 and command = 'start'", [ownerId]);

test('a new generation of a run that waits is told to it, though its owner has as many waiting as may be', async () => {
  const user = await service.newUser();
  const sources = [];
  for (let number = 0; number < AHEAD; number += 1) sources.push(await user.content('One of some.'));
  await until('all are started', async () => (await startsLeft(user.userId)) === 0);
  const ids = sources.map(({ id }) => id);
  await user.call('POST', `/v1/spaces/${user.spaceId}/sources/actions`, { action: 'reprocess', ids });
  await until('all are told', async () => (await count('outbox where owner_id = $1', [user.userId])) === 0);
  expect(await count("sources where owner_id = $1 and status = 'PENDING'", [user.userId])).toBe(AHEAD);
});

test('a run that is started while the dispatcher looks which ones wait counts as one that waits', async () => {
  const user = await service.newUser();
  const [first, second] = [await user.content('One of two.'), await user.content('The other one.')];
  await until('both are started', async () => (await startsLeft(user.userId)) === 0);
  const runs = new WaitingRuns(2);
  runs.add(user.userId, first.id);
  const looking = runs.refresh(service.database);
  runs.add(user.userId, second.id);
  await looking;
  expect(runs.fullOwners).toEqual([user.userId]);
});

test('an owner has so many runs started ahead of the workers; others, and what is no start, go past them', async () => {
  // So long that the dispatcher looks at the waiting runs while a command is sent and not yet removed.
  await service.database.pool.query(`
    create function remove_slowly() returns trigger language plpgsql
      as $$ begin perform pg_sleep(0.2); return old; end $$;
    create trigger remove_slowly before delete on outbox for each row execute function remove_slowly()`);
  const [crowd, other] = await Promise.all([service.newUser(), service.newUser()]);
  const sources = [];
  for (let number = 0; number < 4 * AHEAD; number += 1) sources.push(await crowd.content('One of many.'));
  await until('the first ones are started', async () => (await startsLeft(crowd.userId)) === 3 * AHEAD);
  const single = await other.content('A single one.');
  await until("the other's is started", async () => (await startsLeft(other.userId)) === 0);
  expect((await other.get(single.id)).status).toBe('PENDING');
  const canceled = sources.slice(0, 3);
  for (const { id } of canceled) await crowd.call('POST', `/v1/sources/${id}/cancel`);
  await until('the cancels are sent', async () => (await count("outbox where command = 'cancel'")) === 0);
  // Those wait for no worker any more. Less than half is left, so it is filled up, and no further.
  await until('others are started', async () => (await startsLeft(crowd.userId)) === 3 * AHEAD - canceled.length);
  expect(await count("sources where owner_id = $1 and status = 'PENDING'", [crowd.userId])).toBe(AHEAD);

  await service.startWorker();
  await Promise.all(sources.slice(canceled.length).map(({ id }) => crowd.reach(id, 'COMPLETED', 60_000)));
  await until('none is left', async () => (await startsLeft(crowd.userId)) === 0);
}, 120_000);
