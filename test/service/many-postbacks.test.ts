/** More pending postbacks of one source than a run delivers concurrently. */
import { MAX_OPEN_DELIVERIES, sourceWorkflowId } from '../../contract/commands.ts';
import { received, script, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

/** More than a run delivers concurrently; Temporal allows 2,000 pending activities. */
const PENDING = 700;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService();
  await service.startWorker();
});
afterAll(() => service?.stop());

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;

test(`${PENDING} pending postbacks of a source arrive once, at most ${MAX_OPEN_DELIVERIES} at a time`, async () => {
  const user = await service.newUser();
  const { id } = await user.content('Some text.');
  await user.reach(id, 'COMPLETED');
  const receiver = sitePath('receiver');
  // Long enough that deliveries are open whenever the run continues as new; those too are made once.
  const url = await script(receiver, [{ status: 200, afterMs: 300 }]);
  await query(
    `with ended as (
       insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction,
         run_artifact_extraction, outcome, finished_at)
       select uuidv7(), $1, n, 'reprocess', false, true, true, 'CANCELED', now() from generate_series(2, $2::int + 1) n
       returning id, source_id, generation
     ), postback as (
       insert into postbacks (id, source_id, generation_id, url, body, state, next_attempt_at)
       select gen_random_uuid(), source_id, id, $3, '{}', 'pending', now() from ended
     ), counted as (
       update sources set generation = $2::int + 1, status = 'CANCELED' where id = $1 returning id, owner_id, generation
     )
     insert into outbox (owner_id, source_id, command, generation) select owner_id, id, 'deliver', generation from counted`,
    [id, PENDING, url],
  );
  const run = service.temporal.workflow.getHandle(sourceWorkflowId(id));
  let maxOpen = 0;
  await until(
    'all are delivered',
    async () => {
      const { raw } = await run.describe();
      maxOpen = Math.max(maxOpen, raw.pendingActivities?.length ?? 0);
      const [{ left }] = await query("select count(*)::int as left from postbacks where state = 'pending'");
      if (left === 0) return true;
      throw new Error(`${left} are left, at most ${maxOpen} were open`);
    },
    240_000,
  );
  expect(maxOpen).toBeGreaterThan(MAX_OPEN_DELIVERIES / 2);
  expect(maxOpen).toBeLessThanOrEqual(MAX_OPEN_DELIVERIES);
  const ids = (await received(receiver)).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(PENDING);
  expect(ids).toHaveLength(PENDING);
  expect(await query('select distinct state from postbacks')).toEqual([{ state: 'delivered' }]);
}, 300_000);
