/** Processes of `npm run bench:api`: the API without its dispatcher and the bare API on one database; no worker. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { startProcess } from '../../apps/dev/servers/process.ts';
import { startServers } from '../../apps/dev/servers/servers.ts';
import { openMigrated, startApi } from '../../apps/dev/service.ts';
import type { Database } from '../../db/orm.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import type { Resources } from '../runs/stack.ts';

export interface ApiBenchStack {
  database: Database;
  apiUrl: string;
  bareUrl: string;
  ownerId: string;
  key: string;
}

/** Starts both sides on the same tables. Nothing processes the created sources, so both sides write the same rows. */
export async function startApiBenchStack({ acquire }: Resources): Promise<ApiBenchStack> {
  const report = (line: string) => console.log(line);
  const { dataFolder } = await acquire(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'context-workspace-bench-'));
    return { dataFolder: await realpath(folder), stop: () => rm(folder, { recursive: true, force: true }) };
  });
  const servers = await acquire(() => startServers({ dataFolder, durable: false, temporalUi: false, report }));
  const settings: Record<string, string> = {
    ...servers.settings,
    API_RUNS_DISPATCHER: 'false',
    // Never reached; the rate limiter still counts every request.
    RATE_LIMIT_PRO: '1000000000',
  };
  const { database } = await acquire(async () => {
    const opened = await openMigrated(settings.DATABASE_URL ?? '');
    return { database: opened, stop: () => opened.close() };
  });
  const { userId, key } = await createUser(database.pool, { email: 'bench@example.com', name: 'Bench', plan: 'pro' });
  const port = await freePort();
  const bareUrl = `http://127.0.0.1:${port}`;
  const [api] = await Promise.all([
    acquire(() => startApi({ name: 'api', dataFolder, settings, report })),
    acquire(() =>
      startProcess({
        name: 'bare-api',
        dataFolder,
        command: process.execPath,
        args: [fileURLToPath(new URL('./bare-api.ts', import.meta.url)), dataFolder],
        environment: { ...settings, API_HOST: '127.0.0.1', API_PORT: String(port) },
        graceMs: 10_000,
        readyWithinMs: 30_000,
        ready: async () => (await fetch(`${bareUrl}/health`)).ok,
        report,
      }),
    ),
  ]);
  return { database, apiUrl: api.url, bareUrl, ownerId: userId, key };
}
