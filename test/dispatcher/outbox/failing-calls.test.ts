/** A call to Temporal that always fails, or takes long, delays no other command and no other repair. */
import { Metadata, status } from '@grpc/grpc-js';
import { Client, ServiceError, type WorkflowClientInterceptor } from '@temporalio/client';
import type { DispatcherDependencies } from '../../../apps/dispatcher/dependencies.ts';
import { startDispatcher } from '../../../apps/dispatcher/outbox/dispatcher.ts';
import { startReconciler } from '../../../apps/dispatcher/reconciler/reconciler.ts';
import { sourceWorkflowId } from '../../../contract/commands.ts';
import { parseConfig } from '../../../platform/config.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import { createStorage, storageOptions } from '../../../platform/storage.ts';
import type { TestUser } from '../../support/client.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { until } from '../../support/until.ts';

let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
  user = await service.newUser();
});
afterAll(() => service?.stop());
afterEach(async () => {
  await query('delete from outbox');
  await query('delete from sources');
});

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;

/** Dependencies of a dispatcher whose Temporal calls go through `interceptor`. The caller closes the storage. */
function dependencies(interceptor: WorkflowClientInterceptor, settings: Record<string, string> = {}) {
  const config = parseConfig({ ...service.settings, ...settings });
  const { connection, options } = service.temporal;
  const temporal = new Client({ connection, namespace: options.namespace, interceptors: { workflow: [interceptor] } });
  const { database } = service;
  const logger = createLogger('test', 'silent');
  const storage = createStorage(storageOptions(config));
  return { config, database, storage, temporal, logger, metrics: createMetrics() } satisfies DispatcherDependencies;
}

/** The error that the client throws for the status INTERNAL. */
function internalError(): ServiceError {
  const details = 'the shard of this workflow is broken';
  const cause = Object.assign(new Error(details), { code: status.INTERNAL, details, metadata: new Metadata() });
  return new ServiceError('the call failed', { cause });
}

const isSent = async (sourceId: string) =>
  (await query('select 1 from outbox where source_id = $1', [sourceId])).length === 0;

const SENT_WITHIN_MS = 500;
const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

test(`a failing command is postponed; the median of others is sent within ${SENT_WITHIN_MS} ms`, async () => {
  const poison = await user.content('Poison.');
  let failures = 0;
  const deps = dependencies({
    async start(input, next) {
      if (input.options.workflowId !== sourceWorkflowId(poison.id)) return next(input);
      failures += 1;
      throw internalError();
    },
  });
  const users = await Promise.all(Array.from({ length: 10 }, () => service.newUser()));
  const dispatcher = startDispatcher(deps);
  try {
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const [row] = await until(`attempt ${attempt} is postponed`, async () => {
        const rows = await query(
          `select extract(epoch from available_at - now())::float8 as seconds from outbox
           where source_id = $1 and attempts = $2 and lease_token is null`,
          [poison.id, attempt],
        );
        return rows.length > 0 && rows;
      });
      delays.push(row.seconds);
      await query('update outbox set available_at = now() where source_id = $1', [poison.id]);
    }
    expect(delays).toEqual(delays.toSorted((one, other) => one - other));
    expect(Math.max(...delays)).toBeGreaterThan(5);
    const waits: number[] = [];
    for (const one of users) {
      // The failing command fails right before each of the others is written.
      const before = failures;
      await query('update outbox set available_at = now() where source_id = $1', [poison.id]);
      await until('the failing command fails again', async () => failures > before);
      const { id } = await one.content('Some text.');
      const written = performance.now();
      await until('the command is sent', () => isSent(id));
      waits.push(performance.now() - written);
    }
    // A dispatcher that paused after a failure would delay each command by a second.
    expect(median(waits)).toBeLessThan(SENT_WITHIN_MS);
    expect(await isSent(poison.id)).toBe(false);
    expect(await query('select refusals from outbox')).toEqual([{ refusals: 0 }]);
  } finally {
    await dispatcher.stop();
    deps.storage.close();
  }
}, 60_000);

test('a dispatcher that cannot reach Temporal claims no command, and another one sends it', async () => {
  const { id } = await user.content('Some text.');
  const cutOff = await service.startDispatcher({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const troubles = async () => {
    const text = await (await fetch(`${cutOff.url}/metrics`)).text();
    return Number(/^dependency_trouble_total\{dependency="temporal"\S+ (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  await until('it has tried again', async () => (await troubles()) > 1);
  // It checks Temporal before it claims a command, so that other dispatchers can claim it.
  expect(await query('select attempts, lease_token from outbox where source_id = $1', [id])).toEqual([
    { attempts: 0, lease_token: null },
  ]);
  const deps = dependencies({});
  const dispatcher = startDispatcher(deps);
  try {
    await until('the command is sent', () => isSent(id));
  } finally {
    await dispatcher.stop();
    await cutOff.kill();
    deps.storage.close();
  }
}, 60_000);

/** Creates sources without a run, which the reconciler checks only once within an hour. */
async function stalledSources(count: number): Promise<string[]> {
  await query(
    `with stalled as (
       insert into sources (id, owner_id, space_id, type, name, name_derived, initial_data, instructions, metadata, status,
         generation, created_at, updated_at, checked_at)
       select uuidv7(), $1, $2, 'CONTENT', 'Stalled', false, '{"data": "Text."}', '{}', '{}', 'PENDING', 1,
         now() - interval '2 hours', now() - interval '2 hours', now() - interval '2 hours' + n * interval '1 second'
       from generate_series(1, $3::int) n returning id
     )
     insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction,
       run_artifact_extraction)
     select uuidv7(), id, 1, 'create', false, true, true from stalled`,
    [user.userId, user.spaceId, count],
  );
  return (await query('select id from sources order by checked_at')).map(({ id }) => id);
}

const onceAnHour = { RECONCILER_SWEEP_SECONDS: '1', RECONCILER_GRACE_SECONDS: '3600' };

test('a source whose run cannot be described does not prevent the repair of the other 99 of its round', async () => {
  const [poison, ...others] = await stalledSources(100);
  const deps = dependencies(
    {
      async describe(input, next) {
        if (input.workflowExecution.workflowId !== sourceWorkflowId(poison ?? '')) return next(input);
        throw internalError();
      },
    },
    onceAnHour,
  );
  const reconciler = startReconciler(deps);
  try {
    await until(
      'all others are repaired',
      async () => (await query('select 1 from sources where generation = 2')).length === others.length,
      60_000,
    );
    expect(await query('select id from sources where generation = 1')).toEqual([{ id: poison }]);
  } finally {
    await reconciler.stop();
    deps.storage.close();
  }
}, 120_000);

test('a stalled ticket is sent again while the slow checks of sources still run', async () => {
  await stalledSources(100);
  await query(
    `insert into support_tickets (id, user_id, type, reply_address, message, request_id, created_at, checked_at)
     values (uuidv7(), $1, 'technical', 'someone@example.com', 'Help.', 'request', now() - interval '2 hours',
       now() - interval '2 hours')`,
    [user.userId],
  );
  let described = 0;
  const deps = dependencies(
    {
      async describe(input, next) {
        if (input.workflowExecution.workflowId.startsWith('source-')) {
          described += 1;
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        return next(input);
      },
    },
    onceAnHour,
  );
  const reconciler = startReconciler(deps);
  try {
    await until(
      "the ticket's command is written again",
      async () => (await query("select 1 from outbox where command = 'send'")).length === 1,
    );
    // The checks of the sources, which began first, still run.
    expect(described).toBeLessThan(100);
    await until('they are checked', async () => described > 0);
  } finally {
    await reconciler.stop();
    deps.storage.close();
  }
}, 120_000);
