/** What a bench runs on: the servers, the service's processes and the bare worker, all of them ended again. */
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
  /** Of the bare worker: bench/runs/ended-runs.ts. */
  endedUrl: string;
  /** Process ids of everything that was started. */
  pids: Record<'api' | 'worker' | 'bareWorker' | 'postgres' | 'temporal' | 'storage', number>;
}

const recordSchema = z.object({ pid: z.int() });

async function pidOf(dataFolder: string, name: string): Promise<number> {
  return recordSchema.parse(JSON.parse(await readFile(join(dataFolder, 'run', `${name}.json`), 'utf8'))).pid;
}

export interface Held {
  stop(): Promise<unknown>;
}

/** Keeps what has to be ended, also what is still starting when the end comes. */
export function createHolder(signal: AbortSignal) {
  const held: Promise<Held>[] = [];
  return {
    async hold<T extends Held>(start: () => Promise<T>): Promise<T> {
      signal.throwIfAborted();
      const starting = start();
      held.push(starting);
      const started = await starting;
      signal.throwIfAborted();
      return started;
    },
    /** Ends everything, the last first. */
    async release(): Promise<void> {
      for (let last = held.pop(); last !== undefined; last = held.pop()) {
        const started = await last.catch(() => undefined);
        await started?.stop().catch((error: unknown) => console.error(error));
      }
    },
  };
}
export type Holder = ReturnType<typeof createHolder>;

/** Starts everything on a temporary folder, with the service's default settings. */
export async function startBenchStack({ hold }: Holder): Promise<BenchStack> {
  const report = (line: string) => console.log(line);
  const { dataFolder } = await hold(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'context-workspace-bench-'));
    return { dataFolder: await realpath(folder), stop: () => rm(folder, { recursive: true, force: true }) };
  });
  const servers = await hold(() => startServers({ dataFolder, durable: false, temporalUi: false, report }));
  const settings: Record<string, string> = { ...servers.settings, RATE_LIMIT_PRO: '100000000' };
  const { database } = await hold(async () => {
    const opened = await openMigrated(settings.DATABASE_URL ?? '');
    return { database: opened, stop: () => opened.close() };
  });
  const [api, worker, bareWorker] = await Promise.all([
    hold(() => startApi({ name: 'api', dataFolder, settings, report })),
    hold(() => startWorker({ name: 'worker', dataFolder, settings, report })),
    hold(() => startBareWorker(dataFolder, settings, report)),
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
