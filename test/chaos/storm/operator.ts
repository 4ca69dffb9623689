/** Operator of a chaos run: runs `npm run admin` with settings that bypass the proxies. */
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Cluster } from './cluster.ts';

const MAX_TRIES = 30;

async function runAdmin({ settings }: Cluster, ...args: string[]): Promise<void> {
  const main = fileURLToPath(new URL('../../../apps/admin/main.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [main, ...args], { env: { PATH: process.env.PATH, ...settings } });
}

/** Removes all unreferenced objects without a grace period; only safe when no run is open. */
export async function collectObjects(cluster: Cluster): Promise<void> {
  await runAdmin(cluster, 'objects', 'collect', '--grace', '0', '--force');
}

/** Resumes sweeps after a failover. Retries while a server is down. */
export async function resumeSweeps(cluster: Cluster): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await runAdmin(cluster, 'sweeps', 'resume');
      return;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await delay(1_000);
    }
  }
}
