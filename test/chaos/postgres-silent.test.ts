/** PostgreSQL's host disappears without closing its connections, as in a failover. */
import pino from 'pino';
import { Source } from '../../db/entities/source.ts';
import { type Listener, listen } from '../../db/listen.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { transaction } from '../../db/sql.ts';
import { claimCommands } from '../../db/transitions/outbox/claim-commands.ts';
import { newUser, type TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** The timeout after which a connection counts as dead, plus 5 s for a busy machine. */
const FAILS_WITHIN_MS = 30_000;
/** Shorter than that timeout, so a dead connection that is used after the recovery fails the test. */
const RECOVERS_WITHIN_MS = 15_000;
const POOL = 4;

let service: PrivateService;
let proxy: TcpProxy;
let database: Database;
let listener: Listener;
let user: TestUser;
const notified: string[] = [];

const claim = () => claimCommands(database.pool, 10, 30, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa');
const request = async () => (await user.call('GET', '/v1/spaces')).status;

interface Outcome {
  ms: number;
  result: unknown;
}
async function timed(work: Promise<unknown>): Promise<Outcome> {
  const start = Date.now();
  const result = await work.catch((error: unknown) => error);
  return { ms: Date.now() - start, result };
}
let outcomes: Record<'claim' | 'transaction' | 'entities' | 'request', Promise<Outcome>>;

beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
  const url = new URL(service.settings.DATABASE_URL ?? '');
  proxy = await startTcpProxy(Number(url.port), { host: url.hostname });
  url.host = proxy.address;
  database = await openDatabase(url.href, POOL);
  listener = listen(url.href, 'changes', pino({ enabled: false }), (payload) => notified.push(payload));
  const api = await service.startReplica({ DATABASE_URL: url.href });
  user = await newUser({ apiUrl: api.url, databaseUrl: service.settings.DATABASE_URL ?? '' });
  await until('the listener is connected', async () => notified.length === 1);
  expect(await Promise.all([request(), request(), request()])).toEqual([200, 200, 200]);

  // All connections are open: one in a transaction, the others idle.
  let continueTransaction: (_: unknown) => void = () => undefined;
  const silenced = new Promise((resolve) => {
    continueTransaction = resolve;
  });
  const inTransaction = timed(
    transaction(database, async (session) => {
      await session.query('select 1');
      await silenced;
      await session.query('select 2');
    }),
  );
  await Promise.all(Array.from({ length: POOL }, () => database.pool.query('select pg_sleep(0.1)')));
  expect([database.pool.totalCount, database.pool.idleCount]).toEqual([POOL, POOL - 1]);
  proxy.silence();
  continueTransaction(undefined);
  outcomes = {
    claim: timed(claim()),
    transaction: inTransaction,
    entities: timed(database.orm.em.fork().find(Source, {})),
    request: timed(request()),
  };
}, 60_000);
afterAll(async () => {
  await listener?.close();
  await database?.close();
  await service?.stop();
  await proxy?.close();
});

test.each(['claim', 'transaction', 'entities'] as const)('%s: fails instead of waiting for ever', async (name) => {
  const { ms, result } = await outcomes[name];
  expect(result).toBeInstanceOf(Error);
  expect(ms).toBeLessThan(FAILS_WITHIN_MS);
});

test('a request gets 503', async () => {
  const { ms, result } = await outcomes.request;
  expect(result).toBe(503);
  expect(ms).toBeLessThan(FAILS_WITHIN_MS);
});

test('once the server responds again, no dead connection delays a claim, a request or a notification', async () => {
  await Promise.all(Object.values(outcomes));
  await proxy.restore();
  const all = await Promise.all([
    timed(Promise.all(Array.from({ length: POOL }, claim))),
    timed(Promise.all(Array.from({ length: POOL }, request))),
    timed(until('the listener is connected again', async () => notified.length > 1)),
  ]);
  expect(all.map(({ result }) => result)).toEqual([Array(POOL).fill([]), Array(POOL).fill(200), true]);
  for (const { ms } of all) expect(ms).toBeLessThan(RECOVERS_WITHIN_MS);
  const { id } = await user.content('Text.');
  await until('the listener is notified', async () => notified.some((payload) => payload.startsWith(`source:${id}`)));
});
