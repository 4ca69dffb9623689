/** PostgreSQL is down when a run writes its end: the run waits, and waiting adds few history events. */
import { setTimeout as delay } from 'node:timers/promises';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { replayErrors } from '../support/replay.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** Downtime of the database. */
const AWAY_MS = 60_000;
/** Twice the longest retry interval of a write. */
const REPAIR_MS = 60_000;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ own: ['postgres'] });
  await service.startWorker();
});
afterAll(() => service?.stop());

const LOCK = 1;

/** Makes every end of a generation wait for an advisory lock until `disconnect` or until the database is killed. */
async function blockEnds() {
  const { pool } = service.database;
  await pool.query(`
    create function block_end() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$`);
  await pool.query(`
    create trigger block_end before update on source_generations for each row
    when (old.outcome is null and new.outcome is not null) execute function block_end()`);
  const holder = await pool.connect();
  // The database is killed while it is connected.
  holder.on('error', () => undefined);
  await holder.query(`select pg_advisory_lock(${LOCK})`);
  await pool.query('select 1');
  return {
    hasWaiter: async () =>
      ((await pool.query("select from pg_locks where locktype = 'advisory' and not granted")).rowCount ?? 0) > 0,
    disconnect: () => holder.release(true),
  };
}

test('when the database is down for a minute at the end of a run, it ends COMPLETED with fewer than 20 more events', async () => {
  const user = await service.newUser();
  const postback = sitePath('postback');
  const instructions = { postback_url: await script(postback, [{ status: 204 }]) };
  async function eventsOf(sourceId: string): Promise<number> {
    await closedRun(service.temporal, sourceId);
    return (await service.temporal.workflow.getHandle(sourceWorkflowId(sourceId)).describe()).historyLength;
  }
  const undisturbed = await user.content('# Words\n\nSome words.', instructions);
  await settledDeliveries(user, undisturbed.id);

  const ends = await blockEnds();
  const source = await user.content('# Words\n\nSome words.', instructions);
  await until('the run writes its end', ends.hasWaiter);
  await service.server('postgres').kill();
  ends.disconnect();
  await delay(AWAY_MS);
  await service.server('postgres').start();

  const done = await user.reach(source.id, 'COMPLETED', REPAIR_MS);
  expect(done).toMatchObject({ generation: 1, resultGeneration: 1, error: null });
  const [delivery] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
  expect(delivery).toMatchObject({ state: 'delivered', generation: 1 });
  expect((await received(postback)).filter(({ body }) => body.includes(source.id))).toHaveLength(1);
  expect((await eventsOf(source.id)) - (await eventsOf(undisturbed.id))).toBeLessThan(20);
  expect(await replayErrors(service.temporal, [{ sourceId: source.id }])).toEqual([]);
}, 180_000);
