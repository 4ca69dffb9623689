/** PostgreSQL or storage is unreachable, silent or rejects a worker: the run waits without a retry limit. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, release, script, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** Promised time until work continues after the dependency is back. */
const BACK_MS = 60_000;
/** More than the limit of ten tries for other failures. */
const MANY_ATTEMPTS = 15;
const ROLE = 'worker_of_a_test';

let service: PrivateService;
let worker: ServicePart;
let user: TestUser;
let proxies: { database: TcpProxy; storage: TcpProxy };

beforeAll(async () => {
  service = await startPrivateService({ settings: { DEPENDENCY_RETRY_SECONDS: '0.2' } });
  const database = new URL(service.settings.DATABASE_URL ?? '');
  const storage = new URL(service.settings.S3_ENDPOINT ?? '');
  proxies = {
    database: await startTcpProxy(Number(database.port), { host: database.hostname }),
    storage: await startTcpProxy(Number(storage.port), { host: storage.hostname }),
  };
  await service.database.pool.query(`create role ${ROLE} login superuser password 'secret'`);
  database.host = proxies.database.address;
  database.username = ROLE;
  database.password = 'secret';
  worker = await service.startWorker({ DATABASE_URL: database.href, S3_ENDPOINT: `http://${proxies.storage.address}` });
  user = await service.newUser();
});
afterAll(async () => {
  await service?.database.pool.query(`drop role if exists ${ROLE}`).catch(() => undefined);
  await service?.stop();
  await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()));
});

const bucketFolder = () => join(stack().dataFolder, 'storage', 'buckets', service.settings.S3_BUCKET ?? '');

interface Trouble {
  dependency: 'database' | 'storage';
  reason: string;
  begin(): Promise<unknown> | undefined;
  end(): Promise<unknown>;
  /** Default: MANY_ATTEMPTS. Fewer for silence, which only a timeout detects: attempts take minutes. */
  attempts?: number;
}

const troubles: Record<string, Trouble> = {
  'PostgreSQL cannot be reached': {
    dependency: 'database',
    reason: 'unreachable',
    begin: () => proxies.database.cut(),
    end: () => proxies.database.restore(),
  },
  'PostgreSQL rejects the credentials': {
    dependency: 'database',
    reason: 'refused',
    async begin() {
      await service.database.pool.query(`alter role ${ROLE} nologin`);
      await service.database.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
        ROLE,
      ]);
    },
    end: () => service.database.pool.query(`alter role ${ROLE} login`),
  },
  'PostgreSQL is silent': {
    dependency: 'database',
    reason: 'timeout',
    async begin() {
      proxies.database.silence();
    },
    end: () => proxies.database.restore(),
    attempts: 2,
  },
  'the storage cannot be reached': {
    dependency: 'storage',
    reason: 'unreachable',
    begin: () => proxies.storage.cut(),
    end: () => proxies.storage.restore(),
  },
  'the storage has no bucket': {
    dependency: 'storage',
    reason: 'refused',
    begin: () => rename(bucketFolder(), `${bucketFolder()}-away`),
    end: () => rename(`${bucketFolder()}-away`, bucketFolder()),
  },
  'the storage is silent': {
    dependency: 'storage',
    reason: 'timeout',
    async begin() {
      proxies.storage.silence();
    },
    end: () => proxies.storage.restore(),
    attempts: 2,
  },
};

async function countTrouble({ dependency, reason }: Trouble): Promise<number> {
  const text = await (await fetch(`${worker.url}/metrics`)).text();
  const line = new RegExp(`^dependency_trouble_total\\{dependency="${dependency}",reason="${reason}"\\} (\\d+)`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

test.each(Object.entries(troubles))(
  'while %s, a source waits; it ends COMPLETED in its first generation within a minute of recovery',
  async (_, trouble) => {
    const { attempts = MANY_ATTEMPTS } = trouble;
    const page = sitePath('page');
    const source = await user.create({
      type: 'URI',
      initial_data: {
        data: await script(page, [{ held: true, body: '<p>Some words.</p>' }, { body: '<p>Again.</p>' }]),
      },
    });
    await until('the page is requested', async () => (await received(page)).length === 1);
    await trouble.begin();
    await release(page);
    const run = service.temporal.workflow.getHandle(sourceWorkflowId(source.id));
    await until(
      `the activity has been attempted ${attempts} times`,
      async () => ((await run.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) >= attempts,
      120_000,
    );
    expect((await user.get(source.id)).status).toBe('PROCESSING');
    expect(await countTrouble(trouble)).toBeGreaterThan(0);
    await trouble.end();
    const done = await user.reach(source.id, 'COMPLETED', BACK_MS);
    expect(done).toMatchObject({ generation: 1, error: null });
  },
  300_000,
);
