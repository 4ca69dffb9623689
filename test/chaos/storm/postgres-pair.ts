/** PostgreSQL with an asynchronous standby that can replace the primary and lose its last commits. */
import { execFile } from 'node:child_process';
import { chown, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { startPostgres } from '../../../apps/dev/servers/postgres.ts';
import { type ManagedProcess, startManagedProcess } from '../../support/managed-process.ts';
import type { LossWindow } from './history.ts';

const run = promisify(execFile);
/** Maximum lag of the connected standby. */
const LAG_MS = 2_000;

export interface PostgresPair {
  url: string;
  /** The primary; it keeps its port through failovers. */
  primary: ManagedProcess;
  /**
   * Disconnects the standby, kills the primary `lostMs` later, promotes the standby in its place and starts a new
   * standby. Returns the period whose commits may have been lost.
   */
  failOver(lostMs: number): Promise<LossWindow>;
  /** Stops the standby. */
  stop(): Promise<void>;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function at(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href;
}

/**
 * Starts the primary and, with `hasStandby`, a standby. The primary's data is in `<folder>/postgres`, and after the Nth
 * failover in `<folder>/standby-N/postgres`.
 */
export async function startPostgresPair(
  folder: string,
  port: number,
  standbyPort: number,
  hasStandby: boolean,
  report: (line: string) => void,
): Promise<PostgresPair> {
  let primaryFolder = folder;
  let url = '';
  let standbys = 0;
  const primary = await startManagedProcess(
    'postgres',
    async (onEnd) => {
      // Durable: acknowledged commits must survive a kill.
      const started = await startPostgres({ dataFolder: primaryFolder, port, durable: true, report: onEnd });
      url = started.url;
      return started;
    },
    report,
  );

  /** Starts a standby from a low-level base backup of the primary. */
  async function startStandby() {
    standbys += 1;
    const dataFolder = join(folder, `standby-${standbys}`);
    const [from, to] = [join(primaryFolder, 'postgres'), join(dataFolder, 'postgres')];
    const owner = await stat(join(from, 'data'));
    await mkdir(to, { recursive: true, mode: 0o711 });
    await chown(to, owner.uid, owner.gid);
    const data = join(to, 'data');
    await withClient(url, async (client) => {
      await client.query("select pg_backup_start('standby', fast => true)");
      // cp fails on files that vanish while it copies; a standby does not need those.
      await run('cp', ['--archive', join(from, 'data'), data]).catch(() => undefined);
      const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)');
      await writeFile(join(data, 'backup_label'), rows[0].labelfile);
    });
    await copyFile(join(from, 'password'), join(to, 'password'));
    const { password, username } = new URL(url);
    const primaryConninfo = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
    await writeFile(join(data, 'standby.signal'), '');
    await writeFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${primaryConninfo}'\n`);
    await rm(join(data, 'postmaster.pid'), { force: true });
    for (const name of ['data/backup_label', 'data/standby.signal', 'data/postgresql.auto.conf', 'password']) {
      await chown(join(to, name), owner.uid, owner.gid);
    }
    const server = await startPostgres({ dataFolder, port: standbyPort, durable: true, report: () => undefined });
    return { dataFolder, server };
  }
  let standby = hasStandby ? await startStandby() : undefined;

  async function failOver(lostMs: number): Promise<LossWindow> {
    if (standby === undefined) throw new Error('There is no standby.');
    const standbyUrl = at(url, standbyPort);
    const from = Date.now() - LAG_MS;
    await withClient(standbyUrl, async (client) => {
      // Stops replication, so that later commits of the primary are lost.
      await client.query("alter system set primary_conninfo = ''");
      await client.query('select pg_reload_conf()');
    });
    await delay(lostMs);
    await primary.kill();
    const to = Date.now();
    await withClient(standbyUrl, (client) => client.query('select pg_promote()'));
    await standby.server.stop();
    primaryFolder = standby.dataFolder;
    await primary.start();
    standby = await startStandby();
    return { from, to };
  }

  return {
    get url() {
      return url;
    },
    primary,
    failOver,
    stop: async () => standby?.server.stop(),
  };
}
