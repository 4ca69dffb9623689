/** Long polls and dispatchers are notified of a change after its commit, which waits for no other transaction. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import pino from 'pino';
import { type Listener, listen } from '../../db/listen.ts';
import { transaction } from '../../db/sql.ts';
import { newUser, type TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

/** Far longer than every limit here, so that no sweep finds a command. */
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
  // Before its first command the dispatcher checks Temporal.
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

/** Milliseconds until the dispatcher has claimed the command of a new source. */
async function timeToClaim(): Promise<number> {
  const { id } = await user.content('Text.');
  return timed(() => until('it is claimed', async () => (await user.get(id)).status === 'PENDING'));
}

/** Milliseconds from a change of a source to the response of a long poll. */
async function timeToResponse(): Promise<number> {
  const { id } = await user.content('Text.');
  await until('it is claimed', async () => (await user.get(id)).status === 'PENDING');
  const { revision } = await user.get(id);
  const waiting = user.call('GET', `/v1/sources/${id}?waitSeconds=30&since=${revision}`);
  expect(await Promise.race([waiting, delay(300, 'open')])).toBe('open');
  await user.call('PATCH', `/v1/sources/${id}`, { name: 'Changed' });
  return timed(() => waiting);
}

test('another process claims a command and a long poll ends within 1 s, five times', async () => {
  for (let time = 0; time < 5; time += 1) {
    expect(await timeToClaim()).toBeLessThan(WITHIN_MS);
    expect(await timeToResponse()).toBeLessThan(WITHIN_MS);
  }
});

describe('while the commit of a transaction that notifies is blocked', () => {
  let blocked: Promise<unknown>;
  let blocker: Client;
  beforeAll(async () => {
    // With a standby that never responds, a commit blocks while it has PostgreSQL's lock of notifications. Only the
    // blocker waits for standbys.
    await admin.query(`alter database "${admin.database}" set synchronous_commit = local`);
    await admin.query(`alter system set synchronous_standby_names = 'nobody'`);
    await admin.query('select pg_reload_conf()');
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'context-%'`);
    blocker = new Client({ connectionString: service.settings.DATABASE_URL, application_name: 'blocker' });
    await blocker.connect();
    await blocker.query('set synchronous_commit = on');
    await until('the standby is required', async () => {
      const { rows } = await blocker.query('show synchronous_standby_names');
      return rows[0]?.synchronous_standby_names === 'nobody';
    });
    // Without a WAL record its commit would not wait.
    blocked = blocker.query(`select pg_logical_emit_message(true, 'blocked', ''); notify "somewhere else"`);
    await until(
      'it blocks',
      async () => (await backends(`application_name = 'blocker' and wait_event = 'SyncRep'`)).length > 0,
    );
  });
  afterAll(async () => {
    await admin.query('alter system reset synchronous_standby_names');
    await admin.query('select pg_reload_conf()');
    await blocked;
    await blocker.end();
  });

  test('sources, spaces, keys and users can be changed', async () => {
    const other = await service.newUser();
    const { id } = await other.content('Text.');
    expect((await other.call('PATCH', `/v1/sources/${id}`, { name: 'Changed' })).status).toBe(200);
    expect((await other.call('DELETE', `/v1/sources/${id}`)).status).toBe(204);
    expect((await other.call('DELETE', `/v1/spaces/${other.spaceId}`)).status).toBe(204);
    await service.database.pool.query('delete from api_keys where user_id = $1', [other.userId]);
    await service.database.pool.query('update users set disabled_at = now() where id = $1', [other.userId]);
    // The notifications wait.
    await until(
      'they wait',
      async () =>
        (await backends(`application_name = 'context-workspace-notify' and wait_event_type = 'Lock'`)).length > 0,
    );
  });

  test('the dispatcher of an API claims the commands of that API at once', async () => {
    const replica = await service.startReplica({ API_RUNS_DISPATCHER: 'true', ...NO_SWEEP });
    const caller = await newUser({ apiUrl: replica.url, databaseUrl: service.settings.DATABASE_URL ?? '' });
    const { id } = await caller.content('Text.');
    await until('it is claimed', async () => (await caller.get(id)).status !== 'CREATED', 5_000);
    await replica.kill();
  });

  test('a dispatcher finds commands by its sweep', async () => {
    const sweeping = await service.startDispatcher({ DISPATCHER_SWEEP_SECONDS: '1' });
    expect(await timeToClaim()).toBeLessThan(5_000);
    await sweeping.kill();
  });
});

test('after a disconnect of the connection that sends notifications, later ones arrive within 1 s', async () => {
  await timeToClaim();
  const broken = await senders();
  expect(broken.length).toBeGreaterThan(0);
  await admin.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [broken]);
  await until('they are gone', async () => (await senders()).every((pid) => !broken.includes(pid)));
  expect(await timeToClaim()).toBeLessThan(WITHIN_MS);
});

/** Listens to changes until the end of the test; the first payload is the empty one of the connection. */
async function listenToChanges(): Promise<string[]> {
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

/** The statement by which triggers notify. */
const raise = (payload: string) => `raise info using errcode = 'ZN001', message = 'changes', detail = ${payload};`;

test('notifications of a rolled-back transaction are sent without duplicates, and the pool keeps working', async () => {
  const payloads = await listenToChanges();
  const twice = `do $$ begin for n in 1..2 loop ${raise(`'key:one'`)} ${raise(`'key:two'`)} end loop; end $$`;
  const work = transaction(service.database, async (session) => {
    await session.query(twice);
    await session.query(twice);
    throw new Error('rolled back');
  });
  await expect(work).rejects.toThrow('rolled back');
  // A later notification shows that no others follow.
  await service.database.pool.query(`do $$ begin ${raise(`'key:three'`)} end $$`);
  await until('all are notified', async () => payloads.includes('key:three'));
  const ofKeys = payloads.filter((payload) => payload.startsWith('key:'));
  expect(ofKeys.toSorted()).toEqual(['key:one', 'key:three', 'key:two']);
});

test('a transaction with 20,000 notifications sends less than 2,000, one of them for everything', async () => {
  const payloads = await listenToChanges();
  await service.database.pool.query(`do $$ begin for n in 1..20000 loop ${raise(`'key:' || n`)} end loop; end $$`);
  await until('it is notified', async () => payloads.lastIndexOf('') > 0);
  expect(payloads.length).toBeLessThan(2_000);
});
