/** The reconciler never replaces a run that is open and only waits for a worker, although its postback is pending. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { deliveries, received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const settings = {
  RECONCILER_SWEEP_SECONDS: '0.3',
  RECONCILER_GRACE_SECONDS: '0.5',
  RECONCILER_REMIND_SECONDS: '1',
};
/** Temporal dispatches tasks to polls of the paused worker; each task times out after 10 s. */
const RESUMED_MS = 60_000;
/** Reconciler checks: the one that sends the reminder, and later ones, which once treated the run as lost. */
const CHECKS = 8;

let service: PrivateService;
let worker: ServicePart;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({ settings });
  // Records every command to end a run, since sent commands are removed from the outbox.
  await service.database.pool.query('create table ended_runs (run_id text)');
  await service.database.pool.query(`
    create function note_ended_run() returns trigger language plpgsql as $$
    begin insert into ended_runs values (new.end_run_id); return new; end $$`);
  await service.database.pool.query(`
    create trigger note_ended_run after insert on outbox for each row when (new.end_run_id is not null)
    execute function note_ended_run()`);
  worker = await service.startWorker();
  user = await service.newUser();
});
afterAll(() => service?.stop());

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;
const describe = (id: string) => service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();

/** Waits until the reconciler has checked a pending postback of the source `times` times. */
async function awaitChecks(sourceId: string, times: number): Promise<void> {
  const seen = new Set<number>();
  await until(
    `the reconciler has checked ${times} times`,
    async () => {
      for (const { at } of await query(
        "select extract(epoch from checked_at)::float8 as at from postbacks where source_id = $1 and state = 'pending'",
        [sourceId],
      )) {
        seen.add(at);
      }
      return seen.size >= times;
    },
    60_000,
  );
}

test('the run of a source that is canceled while waiting for a worker is not replaced', async () => {
  const [fresh, backedOff] = [sitePath('fresh'), sitePath('backed-off')];
  const freshUrl = await script(fresh, [{ status: 200 }]);
  const backedOffUrl = await script(backedOff, [{ status: 503, headers: { 'retry-after': '600' } }, { status: 200 }]);
  // The run of this source is open because the postback of generation 1 waits ten minutes for its next attempt.
  const delivering = await user.content('Some text.', { postback_url: backedOffUrl });
  await until(
    'the first attempt was made',
    async () => (await deliveries(user, delivering.id))[0]?.attempts.length === 1,
  );

  await worker.pause();
  const queued = await user.content('Some other text.', { postback_url: freshUrl });
  await until('its run exists', () => describe(queued.id));
  await user.call('POST', `/v1/sources/${delivering.id}/reprocess`);
  const runs = [queued.id, delivering.id];
  for (const id of runs) await user.call('POST', `/v1/sources/${id}/cancel`);
  const before = await Promise.all(runs.map(describe));
  for (const id of runs) await awaitChecks(id, CHECKS);
  const after = await Promise.all(runs.map(describe));
  expect(after.map(({ runId, status }) => ({ runId, status: status.name }))).toEqual(
    before.map(({ runId }) => ({ runId, status: 'RUNNING' })),
  );
  expect(await query('select * from ended_runs')).toEqual([]);

  await worker.resume();
  const [postback] = await settledDeliveries(user, queued.id, 1, RESUMED_MS);
  expect(postback).toMatchObject({ state: 'delivered', attempts: [{ statusCode: 200 }] });
  expect(await received(fresh)).toHaveLength(1);
  const [canceled, first] = await until(
    'the postback of the canceled generation is delivered',
    async () => {
      const list = await deliveries(user, delivering.id);
      return list[0]?.state === 'delivered' && list;
    },
    RESUMED_MS,
  );
  expect(canceled).toMatchObject({ generation: 2, attempts: [{ statusCode: 200 }] });
  expect(first).toMatchObject({ generation: 1, state: 'pending', attempts: [{ statusCode: 503 }] });
  expect(await received(backedOff)).toHaveLength(2);
  expect(await query('select * from ended_runs')).toEqual([]);
}, 240_000);
