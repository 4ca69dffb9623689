/** Short texts are extracted within the first workflow task of their run, where the worker has room. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { awaitBlocked, blockedIn, blockStages, unblockStages } from '../support/refused-stage.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { EXTRACTION_PROCESSES: '1' } });
});
afterAll(() => service?.stop());

/** Types of the regular activities of a source's closed run, and its number of events. */
async function historyOf(sourceId: string) {
  await closedRun(service.temporal, sourceId);
  const { events } = await service.temporal.workflow.getHandle(sourceWorkflowId(sourceId)).fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  return { activities: scheduled.map(({ activityType }) => activityType?.name), events: events?.length };
}

test('the run of a short text has one workflow task, and that of a longer one a regular activity', async () => {
  const worker = await service.startWorker();
  const user = await service.newUser();
  // Until the worker's extraction child is ready.
  await user.reach((await user.content('The first text.')).id, 'COMPLETED');
  const short = await user.content('Some words.');
  await user.reach(short.id, 'COMPLETED');
  expect(await historyOf(short.id)).toEqual({ activities: [], events: 10 });
  const longer = await user.content('Some words. '.repeat(3_000));
  await user.reach(longer.id, 'COMPLETED');
  expect(await historyOf(longer.id)).toEqual({ activities: ['extractContent'], events: 15 });
  await worker.stop();
});

test('a short text that cannot be extracted at once, or fails, is left to the regular activity', async () => {
  const worker = await service.startWorker();
  const user = await service.newUser();
  await blockStages(service.database);
  const { id } = await user.create({ type: 'CONTENT', name: blockedIn('context'), initial_data: { data: 'Words.' } });
  await awaitBlocked(service.temporal, id, 'context');
  await unblockStages(service.database);
  await user.reach(id, 'COMPLETED');
  expect(await historyOf(id)).toMatchObject({ activities: ['extractContent'] });
  await worker.stop();
});

test('after a workflow task that was lost with its worker, the regular activity extracts the text', async () => {
  const first = await service.startWorker();
  const user = await service.newUser();
  const { pool } = service.database;
  await pool.query(`
    create function hold_stage() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(1); return new; end $$`);
  await pool.query(`
    create trigger hold_stage before update on source_generations for each row
    when (new.stage = 'context' and old.stage = 'begin') execute function hold_stage()`);
  const holder = await pool.connect();
  await holder.query('select pg_advisory_lock(1)');
  const { id } = await user.content('Some words.');
  await until('the workflow task is at the extraction', async () => {
    const { rows } = await pool.query("select from pg_locks where locktype = 'advisory' and objid = 1 and not granted");
    return rows.length === 1;
  });
  await first.kill();
  await holder.query('select pg_advisory_unlock(1)');
  holder.release();
  const second = await service.startWorker();
  await user.reach(id, 'COMPLETED', 60_000);
  expect(await historyOf(id)).toMatchObject({ activities: ['extractContent'] });
  await second.stop();
}, 120_000);
