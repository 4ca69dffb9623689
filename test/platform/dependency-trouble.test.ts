/** Which errors of PostgreSQL, Temporal, storage and extraction are dependency trouble, after which work is retried. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Metadata, status } from '@grpc/grpc-js';
import { ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { Client } from 'pg';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { ExtractionUnavailableError } from '../../contract/extraction-unavailable.ts';
import { openDatabase } from '../../db/orm.ts';
import { query, type Statement, statement, transaction } from '../../db/sql.ts';
import { dependencyTrouble } from '../../platform/dependency-trouble.ts';
import { createStorage, type Storage } from '../../platform/storage.ts';
import { stack } from '../support/stack.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/** The dependency trouble of a failing call; 'none' if it succeeds, the error itself if that is not trouble. */
async function troubleOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return 'none';
  } catch (error) {
    return dependencyTrouble(error) ?? error;
  }
}

test('extraction processes that cannot be started are trouble', () => {
  const error = new ExtractionUnavailableError('failing', 'its process ended');
  expect(dependencyTrouble(error)).toEqual({ dependency: 'extraction', reason: 'failing' });
});

describe('Temporal', () => {
  const grpcError = (code: status, details = 'Some details.') =>
    new ServiceError('The call failed.', {
      cause: Object.assign(new Error(details), { code, details, metadata: new Metadata() }),
    });
  const missingAttribute = 'Namespace default has no mapping defined for search attribute OwnerId';

  test.each<[string, unknown, string | null]>([
    ['UNAVAILABLE', grpcError(status.UNAVAILABLE), 'unreachable'],
    ['CANCELLED', grpcError(status.CANCELLED), 'unreachable'],
    ['DEADLINE_EXCEEDED', grpcError(status.DEADLINE_EXCEEDED), 'timeout'],
    ['UNAUTHENTICATED', grpcError(status.UNAUTHENTICATED), 'refused'],
    ['PERMISSION_DENIED', grpcError(status.PERMISSION_DENIED), 'refused'],
    ['NOT_FOUND', grpcError(status.NOT_FOUND), 'refused'],
    ['FAILED_PRECONDITION', grpcError(status.FAILED_PRECONDITION), 'refused'],
    ['a namespace that does not exist', new NamespaceNotFoundError('missing'), 'refused'],
    ['INVALID_ARGUMENT about a search attribute', grpcError(status.INVALID_ARGUMENT, missingAttribute), 'refused'],
    ['RESOURCE_EXHAUSTED', grpcError(status.RESOURCE_EXHAUSTED), 'failing'],
    ['INTERNAL', grpcError(status.INTERNAL), 'failing'],
    ['DATA_LOSS', grpcError(status.DATA_LOSS), 'failing'],
    ['UNKNOWN', grpcError(status.UNKNOWN), 'failing'],
    ['INVALID_ARGUMENT about the call', grpcError(status.INVALID_ARGUMENT, 'WorkflowId length exceeds limit.'), null],
    ['a bug of the service', new TypeError('undefined is not a function'), null],
  ])('%s is classified', (_, error, reason) => {
    expect(dependencyTrouble(error)).toEqual(reason === null ? null : { dependency: 'temporal', reason });
  });
});

describe('PostgreSQL', () => {
  const serverUrl = new URL(stack().settings.DATABASE_URL ?? '');
  const database = `trouble_${process.pid}`;
  const admin = new Client({ connectionString: serverUrl.href });
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`create database ${database}`);
    await admin.query(`create role ${database} login password 'right'`);
  });
  afterAll(async () => {
    await admin.query(`drop database ${database} with (force)`);
    await admin.query(`drop role ${database}`);
    await admin.end();
  });

  function urlOf(change: { port?: number; username?: string; password?: string; pathname?: string } = {}): string {
    return Object.assign(new URL(serverUrl), { pathname: `/${database}`, ...change }).href;
  }
  const statements = {
    one: statement('trouble-one', 'select 1'),
    unknownTable: statement('trouble-table', 'select from no_such_table'),
    unknownColumn: statement('trouble-column', 'select no_such_column from pg_class'),
    slow: statement('trouble-slow', 'select pg_sleep(30)'),
    terminated: statement('trouble-terminated', 'select pg_terminate_backend(pg_backend_pid())'),
    write: statement('trouble-write', 'create table trouble (id int)'),
    wrongData: statement('trouble-data', "select 'x'::int"),
    divided: statement('trouble-division', 'select 1 / (random() * 0)::int'),
  } satisfies Record<string, Statement<unknown>>;

  /** The trouble of `executed`, alone and in a transaction. `before` is run on each connection first. */
  async function troublesOf(url: string, executed: Statement<unknown> = statements.one, before = 'select 1') {
    const opened = await openDatabase(url, 1);
    try {
      return {
        alone: await troubleOf(async () => {
          if (before !== 'select 1') await opened.pool.query(before);
          await query(opened.pool, executed, []);
        }),
        inTransaction: await troubleOf(() =>
          transaction(opened, async (session) => {
            await session.query(before);
            await query(session, executed, []);
          }),
        ),
      };
    } finally {
      await opened.close();
    }
  }
  const both = (reason: string) => {
    const trouble = { dependency: 'database', reason };
    return { alone: trouble, inTransaction: trouble };
  };
  const readOnly = 'set default_transaction_read_only = on; set transaction_read_only = on';

  test.each<[string, () => Promise<unknown>, string]>([
    ['no server', async () => troublesOf(urlOf({ port: await freePort() })), 'unreachable'],
    ['a wrong password', async () => troublesOf(urlOf({ username: database, password: 'wrong' })), 'refused'],
    ['a missing role', async () => troublesOf(urlOf({ username: 'nobody_at_all' })), 'refused'],
    ['a missing database', async () => troublesOf(urlOf({ pathname: '/no_such_database' })), 'refused'],
    ['a missing table', () => troublesOf(urlOf(), statements.unknownTable), 'refused'],
    ['a missing column', () => troublesOf(urlOf(), statements.unknownColumn), 'refused'],
    ['a statement timeout', () => troublesOf(urlOf(), statements.slow, 'set statement_timeout = 50'), 'timeout'],
    ['a shutdown', () => troublesOf(urlOf(), statements.terminated), 'failing'],
    ['a server that is read-only', () => troublesOf(urlOf(), statements.write, readOnly), 'failing'],
  ])('%s is trouble', async (_, troubles, reason) => {
    expect(await troubles()).toEqual(both(reason));
  });

  test('a database that accepts no connections is trouble', async () => {
    await admin.query(`alter database ${database} allow_connections false`);
    try {
      expect(await troublesOf(urlOf())).toEqual(both('refused'));
    } finally {
      await admin.query(`alter database ${database} allow_connections true`);
    }
  });

  test('a server that is silent is trouble', async () => {
    const proxy = await startTcpProxy(Number(serverUrl.port));
    try {
      proxy.silence();
      expect(await troublesOf(urlOf({ port: proxy.port }))).toEqual(both('timeout'));
    } finally {
      await proxy.close();
    }
  });

  test('errors of a statement or its data are not trouble', async () => {
    for (const [executed, code] of [
      [statements.wrongData, '22P02'],
      [statements.divided, '22012'],
    ] as const) {
      const { alone, inTransaction } = await troublesOf(urlOf(), executed);
      expect([alone, inTransaction]).toMatchObject([{ code }, { code }]);
    }
    expect(await troublesOf(urlOf())).toEqual({ alone: 'none', inTransaction: 'none' });
  });
});

describe('the storage', () => {
  const {
    S3_ENDPOINT: endpoint = '',
    S3_REGION: region = '',
    S3_ACCESS_KEY_ID: accessKeyId = '',
    S3_SECRET_ACCESS_KEY: secretAccessKey = '',
  } = stack().settings;
  const bucket = `trouble-${process.pid}`;
  const right = { endpoint, publicEndpoint: endpoint, region, bucket, accessKeyId, secretAccessKey };
  beforeAll(() => withStorage({}, (storage) => storage.ensureBucket()));

  async function withStorage<T>(changed: Partial<typeof right>, use: (storage: Storage) => Promise<T>): Promise<T> {
    const storage = createStorage({ ...right, ...changed });
    try {
      return await use(storage);
    } finally {
      storage.close();
    }
  }
  /** The trouble of each kind of call. */
  const troublesOf = (changed: Partial<typeof right>) =>
    withStorage(changed, async (storage) => ({
      get: await troubleOf(() => storage.get('some/key')),
      head: await troubleOf(() => storage.head('some/key')),
      put: await troubleOf(() => storage.put('some/key', 'x', 'text/plain')),
    }));
  const all = (reason: string) => {
    const trouble = { dependency: 'storage', reason };
    return { get: trouble, head: trouble, put: trouble };
  };

  test.each<[string, () => Promise<Partial<typeof right>>, string]>([
    ['no server', async () => ({ endpoint: `http://127.0.0.1:${await freePort()}` }), 'unreachable'],
    ['a wrong secret', async () => ({ secretAccessKey: 'wrong' }), 'refused'],
  ])('%s is trouble', async (_, change, reason) => {
    expect(await troublesOf(await change())).toEqual(all(reason));
  });

  test.each<[string, Partial<typeof right>]>([
    ['a missing bucket', { bucket: `${bucket}-none` }],
    ['an unknown key', { accessKeyId: 'nobody' }],
  ])('%s is trouble for get and put', async (_, change) => {
    // A 404 to HEAD has no body that would distinguish this from a missing object.
    const { get, put } = all('refused');
    expect(await troublesOf(change)).toMatchObject({ get, put });
  });

  test.each<[number, string, string]>([
    [401, 'Unauthorized', 'refused'],
    [403, 'AccessDenied', 'refused'],
    [429, 'TooManyRequests', 'failing'],
    [500, 'InternalError', 'failing'],
    [503, 'SlowDown', 'failing'],
  ])('a response %i %s is trouble', async (status, code, reason) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Some message.</Message></Error>`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      expect(await troublesOf({ endpoint: `http://127.0.0.1:${port}` })).toEqual(all(reason));
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('a storage that is silent is trouble', async () => {
    const proxy = await startTcpProxy(Number(new URL(endpoint).port));
    try {
      proxy.silence();
      const endpoint = `http://${proxy.address}`;
      const trouble = await withStorage({ endpoint }, (storage) => troubleOf(() => storage.check()));
      expect(trouble).toEqual({ dependency: 'storage', reason: 'timeout' });
    } finally {
      await proxy.close();
    }
  });

  test('a missing object is not trouble', async () => {
    const error = await withStorage({}, (storage) => troubleOf(() => storage.get('missing/key')));
    expect(error).toMatchObject({ name: 'ObjectMissingError' });
  });
});
