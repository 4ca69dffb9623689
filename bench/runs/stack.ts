/** Stack of a bench: the servers, the service's processes and the bare worker. */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { startProcess } from '../../apps/dev/servers/process.ts';
import { startServers } from '../../apps/dev/servers/servers.ts';
import { openMigrated, startApi, startWorker } from '../../apps/dev/service.ts';
import type { Database } from '../../db/orm.ts';

export interface BenchStack {
  settings: Record<string, string>;
  database: Database;
  apiUrl: string;
  workerUrl: string;
  /** Address of the bare worker's end times (bench/runs/ended-runs.ts). */
  endedUrl: string;
  /** Process ids of everything that was started. */
  pids: Record<'api' | 'worker' | 'bareWorker' | 'postgres' | 'temporal' | 'storage', number>;
}

const recordSchema = z.object({ pid: z.int() });

async function pidOf(dataFolder: string, name: string): Promise<number> {
  return recordSchema.parse(JSON.parse(await readFile(join(dataFolder, 'run', `${name}.json`), 'utf8'))).pid;
}

export interface Resource {
  stop(): Promise<unknown>;
}

/** Collects started resources and stops them later, including those that are still starting. */
export function createResources(signal: AbortSignal) {
  const resources: Promise<Resource>[] = [];
  return {
    async acquire<T extends Resource>(start: () => Promise<T>): Promise<T> {
      signal.throwIfAborted();
      const starting = start();
      resources.push(starting);
      const started = await starting;
      signal.throwIfAborted();
      return started;
    },
    /** Stops everything, the last started first. */
    async releaseAll(): Promise<void> {
      for (let last = resources.pop(); last !== undefined; last = resources.pop()) {
        const started = await last.catch(() => undefined);
        await started?.stop().catch((error: unknown) => console.error(error));
      }
    },
  };
}
export type Resources = ReturnType<typeof createResources>;

/** Starts everything in a temporary folder, with the service's default settings. */
export async function startBenchStack({ acquire }: Resources): Promise<BenchStack> {
  const report = (line: string) => console.log(line);
  const { dataFolder } = await acquire(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'context-workspace-bench-'));
    return { dataFolder: await realpath(folder), stop: () => rm(folder, { recursive: true, force: true }) };
  });
  const servers = await acquire(() => startServers({ dataFolder, durable: false, temporalUi: false, report }));
  const settings: Record<string, string> = { ...servers.settings, RATE_LIMIT_PRO: '100000000' };
  const { database } = await acquire(async () => {
    const opened = await openMigrated(settings.DATABASE_URL ?? '');
    return { database: opened, stop: () => opened.close() };
  });
  const [api, worker, bareWorker] = await Promise.all([
    acquire(() => startApi({ name: 'api', dataFolder, settings, report })),
    acquire(() => startWorker({ name: 'worker', dataFolder, settings, report })),
    acquire(() => startBareWorker(dataFolder, settings, report)),
  ]);
  const [postgres, temporal, storage] = await Promise.all([
    pidOf(dataFolder, 'postgres'),
    pidOf(dataFolder, 'temporal'),
    pidOf(dataFolder, 'storage'),
  ]);
  const pids = { api: api.pid, worker: worker.pid, bareWorker: bareWorker.pid, postgres, temporal, storage };
  return { settings, database, apiUrl: api.url, workerUrl: worker.url, endedUrl: bareWorker.url, pids };
}

async function startBareWorker(dataFolder: string, settings: Record<string, string>, report: (line: string) => void) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = await startProcess({
    name: 'bare-worker',
    dataFolder,
    command: process.execPath,
    args: [fileURLToPath(new URL('./bare-worker.ts', import.meta.url)), dataFolder],
    environment: { METRICS_HOST: '127.0.0.1', METRICS_PORT: String(port), ...settings },
    graceMs: 45_000,
    readyWithinMs: 60_000,
    ready: async () => (await fetch(`${url}/health`)).ok,
    report,
  });
  return { pid: started.pid, stop: () => started.stop(), url };
}
