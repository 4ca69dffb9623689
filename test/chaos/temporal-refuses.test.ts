/** Temporal rejects calls: all of them, in which case commands wait, or a single invalid command. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findBinary } from '../../apps/dev/binaries/binary.ts';
import { searchAttributes } from '../../contract/commands.ts';
import { deliveries, script, send, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { startGrpcProxy } from '../support/grpc-proxy.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
afterEach(() => service?.stop());

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;

/** Reads a counter of the API process, which runs the dispatcher; 0 if the counter does not exist yet. */
async function readCounter(line: string): Promise<number> {
  const metrics = await (await fetch(`${service.apiUrl}/metrics`)).text();
  const found = metrics.split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.slice(line.length) ?? 0);
}
const refusedTrouble = 'dependency_trouble_total{dependency="temporal",reason="refused"}';

/** Waits until the command of a source has been attempted `times` more times. */
async function awaitAttempts(sourceId: string, times: number): Promise<void> {
  const attempts = async () => {
    // Skips the back-off, which grows to half a minute.
    await query('update outbox set available_at = now() where source_id = $1 and lease_token is null', [sourceId]);
    const [row] = await query('select attempts from outbox where source_id = $1', [sourceId]);
    if (row === undefined) throw new Error('the command is not in the outbox');
    return row.attempts;
  };
  const before = await attempts();
  await until(
    `the command of ${sourceId} is attempted ${times} more times`,
    async () => (await attempts()) >= before + times,
    60_000,
  );
}

const NAMESPACE = 'later';

/** Runs `temporal operator` for a namespace. */
async function operator(namespace: string, ...args: string[]): Promise<void> {
  const binary = await findBinary('temporal', { report: console.log });
  const options = ['--address', service.settings.TEMPORAL_ADDRESS ?? '', '--namespace', namespace];
  await promisify(execFile)(binary, ['operator', ...args, ...options]);
}
const createAttributes = (namespace: string, attributes: Record<string, string>) =>
  operator(
    namespace,
    ...['search-attribute', 'create'],
    ...Object.entries(attributes).flatMap(([name, type]) => ['--name', name, '--type', type]),
  );

const expectNoneAbandoned = async (expected: { source_id: string; refusals: number }[]) => {
  expect(await query('select source_id, refusals from outbox order by id')).toEqual(expected);
  for (const outcome of ['refused', 'given_up']) {
    expect(await readCounter(`outbox_commands_total{command="start",outcome="${outcome}"}`)).toBe(0);
  }
};
const healthOfTemporal = async () => (await send(`${service.apiUrl}/health`, 'GET')).body.checks.temporal;

test('while the namespace or its search attributes are missing, commands wait, and the error names the commands to create them', async () => {
  service = await startPrivateService({ own: ['temporal'], settings: { TEMPORAL_NAMESPACE: NAMESPACE } });
  const user = await service.newUser();
  const [one, two] = [await user.content('Some text.'), await user.content('Some other text.')];
  // One more rejection of the command itself would end the generation.
  await query('update outbox set refusals = 19 where source_id = $1', [two.id]);
  const waiting = [
    { source_id: one.id, refusals: 0 },
    { source_id: two.id, refusals: 19 },
  ];
  const awaitRetries = async () => {
    const before = await readCounter(refusedTrouble);
    await until('Temporal is called again', async () => (await readCounter(refusedTrouble)) > before + 2);
  };
  await awaitRetries();
  expect(await healthOfTemporal()).toBe('down');

  await operator(NAMESPACE, 'namespace', 'create', '--retention', '24h');
  const workerStartError = async () => {
    try {
      await service.startWorker();
      return 'none';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const command = `temporal operator search-attribute create --namespace ${NAMESPACE}`;
  const all = Object.entries(searchAttributes);
  const startError = await until(
    'the namespace is known',
    async () => {
      const message = await workerStartError();
      return message.includes('search attributes') && message;
    },
    120_000,
  );
  expect(startError).toContain(
    `lacks the search attributes ${all.map(([name, type]) => `${name} (${type})`).join(', ')}. ` +
      `Create them: ${command} ${all.map(([name, type]) => `--name ${name} --type ${type}`).join(' ')}`,
  );
  await awaitRetries();
  expect(await healthOfTemporal()).toBe('down');
  expect((await user.get(one.id)).status).toBe('CREATED');
  await expectNoneAbandoned(waiting);

  // Credentials that may not list search attributes, which is common, still get the names of the missing ones.
  const proxy = await startGrpcProxy(service.settings.TEMPORAL_ADDRESS ?? '', { denied: ['ListSearchAttributes'] });
  const worker = service.startWorker({ TEMPORAL_ADDRESS: proxy.address });
  await expect(worker.finally(() => proxy.close())).rejects.toThrow('lacks the search attributes OwnerId (Keyword), ');

  // A search attribute of the wrong type counts as missing.
  await createAttributes(NAMESPACE, { ...searchAttributes, Generation: 'Keyword' });
  const left = `lacks the search attributes Generation (Int). Create them: ${command} --name Generation --type Int`;
  await until('only the wrong one is named', async () => (await workerStartError()).includes(left), 120_000);
  await expectNoneAbandoned(waiting);

  await operator(NAMESPACE, 'search-attribute', 'remove', '--name', 'Generation', '--yes');
  await createAttributes(NAMESPACE, { Generation: 'Int' });
  await until('the health check of Temporal is ok', async () => (await healthOfTemporal()) === 'ok', 60_000);
  await service.startWorker();
  for (const { id } of [one, two]) {
    expect(await user.reach(id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1 });
  }
}, 400_000);

test('when a search attribute is removed later, commands wait, and none is abandoned', async () => {
  service = await startPrivateService({ own: ['temporal'] });
  const user = await service.newUser();
  const first = await user.content('Some text.');
  await user.reach(first.id, 'PENDING');
  await until('its command is sent', async () => (await query('select 1 from outbox')).length === 0);
  await operator('default', 'search-attribute', 'remove', '--name', 'SourceType', '--yes');
  await until(
    'Temporal has removed the search attribute',
    () =>
      service.temporal.workflowService
        .countWorkflowExecutions({ namespace: 'default', query: 'SourceType IS NULL' })
        .then(() => false)
        .catch(() => true),
    60_000,
  );
  const [one, two] = [await user.content('Some text.'), await user.content('Some other text.')];
  await query('update outbox set refusals = 19 where source_id = $1', [two.id]);
  await until(
    'the errors of the commands are about search attributes',
    async () =>
      (await query('select last_error from outbox')).every(({ last_error }) => /search attribute/i.test(last_error)),
    60_000,
  );
  await awaitAttempts(one.id, 2);
  await awaitAttempts(two.id, 2);
  expect(await readCounter(refusedTrouble)).toBeGreaterThan(0);
  await expectNoneAbandoned([
    { source_id: one.id, refusals: 0 },
    { source_id: two.id, refusals: 19 },
  ]);
  await createAttributes('default', { SourceType: 'Keyword' });
  await service.startWorker();
  for (const { id } of [first, one, two]) {
    expect(await user.reach(id, 'COMPLETED', 60_000)).toMatchObject({ generation: 1 });
  }
}, 240_000);

test('a run that Temporal rejects as invalid ends FAILED run_refused, with its postback pending', async () => {
  // source-<uuid> has 43 characters; the ids of the server and the namespace are shorter.
  service = await startPrivateService({ own: ['temporal'], temporalConfig: { 'limit.maxIDLength': 42 } });
  const user = await service.newUser();
  const url = await script(sitePath('receiver'), [{ status: 200 }]);
  const { id } = await user.content('Some text.', { postback_url: url });
  await until(
    'the command was rejected',
    async () =>
      (await query('select 1 from outbox where source_id = $1 and refusals > 0 and lease_token is null', [id])).length >
      0,
  );
  await query('update outbox set refusals = 18 where source_id = $1', [id]);
  await query('update outbox set available_at = now() where source_id = $1', [id]);
  await until(
    'the command is rejected again',
    async () => (await query('select 1 from outbox where refusals = 19')).length > 0,
  );
  expect((await user.get(id)).status).toBe('PENDING');
  // The twentieth rejection; skips its back-off of half a minute.
  await query('update outbox set available_at = now() where source_id = $1', [id]);
  const failed = await user.reach(id, 'FAILED');
  expect(failed).toMatchObject({ generation: 1, error: { code: 'run_refused', retryable: true } });
  expect(await generationsOf(service.database, id)).toMatchObject([{ trigger: 'create', outcome: 'FAILED' }]);
  expect(await deliveries(user, id)).toMatchObject([{ generation: 1, state: 'pending', attempts: [] }]);
  expect(await readCounter('outbox_commands_total{command="start",outcome="given_up"}')).toBe(1);
  expect(await readCounter(refusedTrouble)).toBe(0);
}, 120_000);
