/** PostgreSQL is away when a run has come to its end: the run waits for it, and waiting costs no history. */
import { setTimeout as delay } from 'node:timers/promises';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { brokenReplays } from '../support/replay.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** So long the database is away, by the promise. */
const AWAY_MS = 60_000;
/** The longest pause of a write that is tried again is half of that. */
const REPAIR_MS = 60_000;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ own: ['postgres'] });
  await service.startWorker();
});
afterAll(() => service?.stop());

const LOCK = 1;

/** From here on the end of a generation waits in the database until `release`, or until the database is gone. */
async function holdEnds() {
  const { pool } = service.database;
  await pool.query(`
    create function hold_end() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$`);
  await pool.query(`
    create trigger hold_end before update on source_generations for each row
    when (old.outcome is null and new.outcome is not null) execute function hold_end()`);
  const holder = await pool.connect();
  // The database is killed under it.
  holder.on('error', () => undefined);
  await holder.query(`select pg_advisory_lock(${LOCK})`);
  await pool.query('select 1');
  return {
    someoneWaits: async () =>
      ((await pool.query("select from pg_locks where locktype = 'advisory' and not granted")).rowCount ?? 0) > 0,
    forget: () => holder.release(true),
  };
}

test('a run at whose end the database is away for a minute ends COMPLETED, with fewer than 20 events more', async () => {
  const user = await service.newUser();
  const postback = sitePath('postback');
  const instructions = { postback_url: await script(postback, [{ status: 204 }]) };
  async function eventsOf(sourceId: string): Promise<number> {
    await closedRun(service.temporal, sourceId);
    return (await service.temporal.workflow.getHandle(sourceWorkflowId(sourceId)).describe()).historyLength;
  }
  const undisturbed = await user.content('# Words\n\nSome words.', instructions);
  await settledDeliveries(user, undisturbed.id);

  const ends = await holdEnds();
  const source = await user.content('# Words\n\nSome words.', instructions);
  await until('the run writes its end', ends.someoneWaits);
  await service.server('postgres').kill();
  ends.forget();
  await delay(AWAY_MS);
  await service.server('postgres').start();

  const done = await user.reach(source.id, 'COMPLETED', REPAIR_MS);
  expect(done).toMatchObject({ generation: 1, resultGeneration: 1, error: null });
  const [delivery] = await settledDeliveries(user, source.id, 1, REPAIR_MS);
  expect(delivery).toMatchObject({ state: 'delivered', generation: 1 });
  expect((await received(postback)).filter(({ body }) => body.includes(source.id))).toHaveLength(1);
  expect((await eventsOf(source.id)) - (await eventsOf(undisturbed.id))).toBeLessThan(20);
  expect(await brokenReplays(service.temporal, [{ sourceId: source.id }])).toEqual([]);
}, 180_000);
