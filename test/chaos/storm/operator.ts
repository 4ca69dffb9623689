/** The operator of a storm: `npm run admin` with the settings of the service, past the proxies. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Cluster } from './cluster.ts';

const MAX_TRIES = 30;

async function administer({ settings }: Cluster, ...args: string[]): Promise<void> {
  const main = fileURLToPath(new URL('../../../apps/admin/main.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...settings } });
}

/** Removes every object that nothing needs, without any grace: nothing may run any more. */
export async function collectObjects(cluster: Cluster): Promise<void> {
  await administer(cluster, 'objects', 'collect', '--grace', '0', '--force');
}

/** After a failover: the database is the one to stay. Tried again while a server is away. */
export async function resumeSweeps(cluster: Cluster): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await administer(cluster, 'sweeps', 'resume');
      return;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await delay(1_000);
    }
  }
}
