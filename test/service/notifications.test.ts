/** Waits and dispatchers are notified of a change after its commit, which waits for no other transaction. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import pino from 'pino';
import { type Listener, listen } from '../../db/listen.ts';
import { transaction } from '../../db/sql.ts';
import type { TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

/** Far longer than every limit here, so that nothing is found by a sweep. */
const NO_SWEEP = { DISPATCHER_SWEEP_SECONDS: '300' };
const WITHIN_MS = 1_000;

let service: PrivateService;
let user: TestUser;
let admin: Client;

beforeAll(async () => {
  service = await startPrivateService({ own: ['postgres'], settings: { API_RUNS_DISPATCHER: 'false' } });
  admin = new Client({ connectionString: service.settings.DATABASE_URL });
  admin.on('error', () => undefined);
  await admin.connect();
  await service.startDispatcher(NO_SWEEP);
  user = await service.newUser();
  // Before its first command, the dispatcher makes sure that Temporal is as it needs it.
  await timeToClaim();
}, 60_000);
afterAll(async () => {
  await admin?.end();
  await service?.stop();
});

const backends = async (condition: string): Promise<number[]> =>
  (await admin.query(`select pid from pg_stat_activity where ${condition}`)).rows.map(({ pid }) => pid);
const senders = () => backends(`application_name = 'context-workspace-notify'`);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = Date.now();
  await work();
  return Date.now() - start;
}

/** Milliseconds until the dispatcher's process has claimed the command of a new source. */
async function timeToClaim(): Promise<number> {
  const { id } = await user.content('Text.');
  return timed(() => until('it is claimed', async () => (await user.get(id)).status === 'PENDING'));
}

/** Milliseconds from a change of a source to the answer of a request that waits for it. */
async function timeToAnswer(): Promise<number> {
  const { id } = await user.content('Text.');
  await until('it is claimed', async () => (await user.get(id)).status === 'PENDING');
  const { revision } = await user.get(id);
  const waiting = user.call('GET', `/v1/sources/${id}?waitSeconds=30&since=${revision}`);
  expect(await Promise.race([waiting, delay(300, 'open')])).toBe('open');
  await user.call('PATCH', `/v1/sources/${id}`, { name: 'Changed' });
  return timed(() => waiting);
}

test('another process claims a command, and a wait is answered, within a second, each time', async () => {
  for (let time = 0; time < 5; time += 1) {
    expect(await timeToClaim()).toBeLessThan(WITHIN_MS);
    expect(await timeToAnswer()).toBeLessThan(WITHIN_MS);
  }
});

describe('while a transaction that notifies does not finish its commit', () => {
  let held: Promise<unknown>;
  let holder: Client;
  beforeAll(async () => {
    // With a standby that never answers, a commit stays where it holds PostgreSQL's lock of notifications. Only the
    // holder waits for standbys.
    await admin.query(`alter database "${admin.database}" set synchronous_commit = local`);
    await admin.query(`alter system set synchronous_standby_names = 'nobody'`);
    await admin.query('select pg_reload_conf()');
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'context-%'`);
    holder = new Client({ connectionString: service.settings.DATABASE_URL, application_name: 'holder' });
    await holder.connect();
    await holder.query('set synchronous_commit = on');
    await until('the standby is asked for', async () => {
      const { rows } = await holder.query('show synchronous_standby_names');
      return rows[0]?.synchronous_standby_names === 'nobody';
    });
    // Without a record of its own in the log, its commit would not wait.
    held = holder.query(`select pg_logical_emit_message(true, 'held', ''); notify "somewhere else"`);
    await until(
      'it is held',
      async () => (await backends(`application_name = 'holder' and wait_event = 'SyncRep'`)).length > 0,
    );
  });
  afterAll(async () => {
    await admin.query('alter system reset synchronous_standby_names');
    await admin.query('select pg_reload_conf()');
    await held;
    await holder.end();
  });

  test('sources are created, changed and deleted, keys deleted and users disabled', async () => {
    const other = await service.newUser();
    const { id } = await other.content('Text.');
    expect((await other.call('PATCH', `/v1/sources/${id}`, { name: 'Changed' })).status).toBe(200);
    expect((await other.call('DELETE', `/v1/sources/${id}`)).status).toBe(204);
    expect((await other.call('DELETE', `/v1/spaces/${other.spaceId}`)).status).toBe(204);
    await service.database.pool.query('delete from api_keys where user_id = $1', [other.userId]);
    await service.database.pool.query('update users set disabled_at = now() where id = $1', [other.userId]);
    // The notifications themselves wait.
    await until(
      'they wait',
      async () =>
        (await backends(`application_name = 'context-workspace-notify' and wait_event_type = 'Lock'`)).length > 0,
    );
  });

  test('a dispatcher finds commands by its sweep', async () => {
    const sweeping = await service.startDispatcher({ DISPATCHER_SWEEP_SECONDS: '1' });
    expect(await timeToClaim()).toBeLessThan(5_000);
    await sweeping.kill();
  });
});

test('when the connection that sends notifications breaks, no request fails and later ones are sent', async () => {
  await timeToClaim();
  const broken = await senders();
  expect(broken.length).toBeGreaterThan(0);
  await admin.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [broken]);
  await until('they are gone', async () => (await senders()).every((pid) => !broken.includes(pid)));
  expect(await timeToClaim()).toBeLessThan(WITHIN_MS);
});

/** Listens to changes until the test has ended; its first payload is the empty one of its connection. */
async function hear(): Promise<string[]> {
  const payloads: string[] = [];
  const url = service.settings.DATABASE_URL ?? '';
  listeners.push(listen(url, 'changes', pino({ enabled: false }), (payload) => payloads.push(payload)));
  await until('it listens', async () => payloads.length > 0);
  return payloads;
}
const listeners: Listener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

/** What the triggers do. */
const raise = (payload: string) => `raise info using errcode = 'ZN001', message = 'changes', detail = ${payload};`;

test('what was rolled back is notified as a reason to look, without duplicates, and the pool goes on', async () => {
  const payloads = await hear();
  const twice = `do $$ begin for n in 1..2 loop ${raise(`'key:one'`)} ${raise(`'key:two'`)} end loop; end $$`;
  const work = transaction(service.database, async (session) => {
    await session.query(twice);
    await session.query(twice);
    throw new Error('rolled back');
  });
  await expect(work).rejects.toThrow('rolled back');
  // What is notified after it shows that no more of it comes.
  await service.database.pool.query(`do $$ begin ${raise(`'key:three'`)} end $$`);
  await until('all are notified', async () => payloads.includes('key:three'));
  const ofKeys = payloads.filter((payload) => payload.startsWith('key:'));
  expect(ofKeys.toSorted()).toEqual(['key:one', 'key:three', 'key:two']);
});

test('a transaction that changes very many sources notifies once of everything', async () => {
  const payloads = await hear();
  await service.database.pool.query(`do $$ begin for n in 1..20000 loop ${raise(`'key:' || n`)} end loop; end $$`);
  await until('it is notified', async () => payloads.lastIndexOf('') > 0);
  expect(payloads.length).toBeLessThan(2_000);
});
