/** PostgreSQL or the storage is away, silent or refuses a worker in mid-run: the run waits, however often it was tried. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, release, script, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** The promise: work goes on so soon after the part is back. */
const BACK_MS = 60_000;
/** More than a step may have in earnest. */
const MANY_ATTEMPTS = 15;
const ROLE = 'worker_of_a_test';

let service: PrivateService;
let worker: ServicePart;
let user: TestUser;
let ways: { database: TcpProxy; storage: TcpProxy };

beforeAll(async () => {
  service = await startPrivateService({ settings: { DEPENDENCY_RETRY_SECONDS: '0.2' } });
  const database = new URL(service.settings.DATABASE_URL ?? '');
  const storage = new URL(service.settings.S3_ENDPOINT ?? '');
  ways = {
    database: await startTcpProxy(Number(database.port), { host: database.hostname }),
    storage: await startTcpProxy(Number(storage.port), { host: storage.hostname }),
  };
  await service.database.pool.query(`create role ${ROLE} login superuser password 'secret'`);
  database.host = ways.database.address;
  database.username = ROLE;
  database.password = 'secret';
  worker = await service.startWorker({ DATABASE_URL: database.href, S3_ENDPOINT: `http://${ways.storage.address}` });
  user = await service.newUser();
});
afterAll(async () => {
  await service?.database.pool.query(`drop role if exists ${ROLE}`).catch(() => undefined);
  await service?.stop();
  await Promise.all(Object.values(ways ?? {}).map((way) => way.close()));
});

const bucketFolder = () => join(stack().dataFolder, 'storage', 'buckets', service.settings.S3_BUCKET ?? '');

interface Trouble {
  dependency: 'database' | 'storage';
  reason: string;
  begin(): Promise<unknown> | undefined;
  end(): Promise<unknown>;
  /** Silence is noticed by a time-out only: a few attempts take minutes. */
  attempts?: number;
}

const troubles: Record<string, Trouble> = {
  'PostgreSQL cannot be reached': {
    dependency: 'database',
    reason: 'unreachable',
    begin: () => ways.database.cut(),
    end: () => ways.database.restore(),
  },
  'PostgreSQL refuses the credentials': {
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
      ways.database.silence();
    },
    end: () => ways.database.restore(),
    attempts: 2,
  },
  'the storage cannot be reached': {
    dependency: 'storage',
    reason: 'unreachable',
    begin: () => ways.storage.cut(),
    end: () => ways.storage.restore(),
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
      ways.storage.silence();
    },
    end: () => ways.storage.restore(),
    attempts: 2,
  },
};

async function troublesOf({ dependency, reason }: Trouble): Promise<number> {
  const text = await (await fetch(`${worker.url}/metrics`)).text();
  const line = new RegExp(`^dependency_trouble_total\\{dependency="${dependency}",reason="${reason}"\\} (\\d+)`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

test.each(Object.entries(troubles))(
  'while %s a source waits, and it ends COMPLETED in its first generation within a minute after that',
  async (_, trouble) => {
    const { attempts = MANY_ATTEMPTS } = trouble;
    const page = sitePath('page');
    const source = await user.create({
      type: 'URI',
      initial_data: {
        data: await script(page, [{ held: true, body: '<p>Some words.</p>' }, { body: '<p>Again.</p>' }]),
      },
    });
    await until('the page is asked for', async () => (await received(page)).length === 1);
    await trouble.begin();
    await release(page);
    const run = service.temporal.workflow.getHandle(sourceWorkflowId(source.id));
    await until(
      `the step was tried ${attempts} times`,
      async () => ((await run.describe()).raw.pendingActivities?.[0]?.attempt ?? 0) >= attempts,
      120_000,
    );
    expect((await user.get(source.id)).status).toBe('PROCESSING');
    expect(await troublesOf(trouble)).toBeGreaterThan(0);
    await trouble.end();
    const done = await user.reach(source.id, 'COMPLETED', BACK_MS);
    expect(done).toMatchObject({ generation: 1, error: null });
  },
  300_000,
);
