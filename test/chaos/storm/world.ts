/** The whole service on a temporary folder, every process of it a part that can be killed and paused. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { findBinary } from '../../../apps/dev/binary.ts';
import { freePorts } from '../../../apps/dev/ports.ts';
import { startPostgres } from '../../../apps/dev/postgres.ts';
import { openMigrated, startApi, startDispatcherProcess, startWorker } from '../../../apps/dev/service.ts';
import { startStorage } from '../../../apps/dev/storage.ts';
import { startTemporal } from '../../../apps/dev/temporal.ts';
import type { Database } from '../../../db/orm.ts';
import { createStorage, type Storage } from '../../../platform/storage.ts';
import { createTemporalClient } from '../../../platform/temporal.ts';
import { type Part, startPart } from '../../support/part.ts';
import { type Line, startLine } from './line.ts';

const BUCKET = 'context-workspace';
/** Each way: enough for a cut to fall between two calls, and little beside the length of a run. */
const LINE_DELAY_MS = 15;

export const partNames = ['postgres', 'temporal', 'storage', 'worker 1', 'worker 2', 'api', 'dispatcher'] as const;
export type PartName = (typeof partNames)[number];

export interface World {
  folder: string;
  apiUrl: string;
  /** Of the service's processes. */
  settings: Record<string, string>;
  parts: Record<PartName, Part>;
  /** To PostgreSQL, and to Temporal: each worker's own, and that of all others. The driver itself asks past them. */
  lines: Record<'postgres' | 'temporal' | 'worker 1' | 'worker 2', Line>;
  database: Database;
  temporal: Client;
  storage: Storage;
  /** What ended without having been killed. */
  ended: string[];
  /** Ends everything, and removes the folder unless it is to be kept. */
  stop(options: { keepFolder: boolean }): Promise<void>;
}

/** Short times, so that retries and repairs fit into a storm. */
const stormSettings = {
  LOG_LEVEL: 'info',
  RATE_LIMIT_PRO: '10000000',
  EXTRACTION_PROCESSES: '1',
  RECONCILER_SWEEP_SECONDS: '1',
  RECONCILER_GRACE_SECONDS: '3',
  FETCH_RETRY_SECONDS: '6',
  // Far more attempts than the receivers' troubles use up: none may run out.
  POSTBACK_SCHEDULE_SECONDS: ['0', ...Array.from({ length: 60 }, () => '2')].join(','),
};

async function bundleWorkflows(file: string): Promise<string> {
  const script = fileURLToPath(new URL('../../../apps/worker/bundle.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [script, file]);
  return file;
}

/** Starts everything, with leave to reach `sitePort`. */
export async function startWorld(sitePort: number, signal: AbortSignal): Promise<World> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'context-workspace-storm-')));
  const stops: (() => Promise<unknown>)[] = [];
  const ended: string[] = [];
  const report = (line: string) => void ended.push(line);

  async function stop({ keepFolder }: { keepFolder: boolean }): Promise<void> {
    for (const end of stops.splice(0).reverse()) {
      await end().catch((error: unknown) => console.error(error));
    }
    if (!keepFolder) await rm(folder, { recursive: true, force: true });
  }
  function part(name: PartName, start: Parameters<typeof startPart>[1]): Promise<Part> {
    signal.throwIfAborted();
    const starting = startPart(name, start, report);
    // Ended even where another one fails to start meanwhile.
    stops.push(() => starting.then((started) => started.kill()));
    return starting;
  }

  async function start(): Promise<World> {
    // The user of PostgreSQL passes through.
    await chmod(folder, 0o711);
    const dataFolder = folder;
    const [temporalBinary, storageBinary, WORKFLOW_BUNDLE, ports] = await Promise.all([
      findBinary('temporal', { report: console.log, signal }),
      findBinary('versitygw', { report: console.log, signal }),
      bundleWorkflows(join(folder, 'workflow-bundle.js')),
      freePorts(7),
    ]);
    const [postgresPort = 0, temporalPort = 0, storagePort = 0, apiPort = 0, ...metricsPorts] = ports;

    let databaseUrl = '';
    let S3: Record<string, string> = {};
    const [postgres, temporal, storage] = await Promise.all([
      part('postgres', async (onEnd) => {
        // Durable: what it acknowledged has to be there after a kill.
        const started = await startPostgres({ dataFolder, port: postgresPort, durable: true, report: onEnd });
        databaseUrl = started.url;
        return started;
      }),
      part('temporal', (onEnd) =>
        startTemporal({
          ...{ dataFolder, binary: temporalBinary, port: temporalPort, uiPort: undefined },
          ...{ durable: false, report: onEnd },
        }),
      ),
      part('storage', async (onEnd) => {
        const started = await startStorage({ dataFolder, binary: storageBinary, port: storagePort, report: onEnd });
        S3 = {
          ...{ S3_ENDPOINT: started.endpoint, S3_REGION: started.region, S3_BUCKET: BUCKET },
          ...{ S3_ACCESS_KEY_ID: started.accessKeyId, S3_SECRET_ACCESS_KEY: started.secretAccessKey },
        };
        return started;
      }),
    ]);
    const database = await openMigrated(databaseUrl);
    stops.push(() => database.close());
    const lines = {
      postgres: await startLine(postgresPort, LINE_DELAY_MS),
      temporal: await startLine(temporalPort, LINE_DELAY_MS),
      'worker 1': await startLine(temporalPort, LINE_DELAY_MS),
      'worker 2': await startLine(temporalPort, LINE_DELAY_MS),
    };
    stops.push(...Object.values(lines).map((line) => line.close));
    const temporalBy = ({ port }: Line) => ({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` });
    const lineUrl = new URL(databaseUrl);
    lineUrl.port = String(lines.postgres.port);
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    const settings: Record<string, string> = {
      ...{ ...stormSettings, ...S3, WORKFLOW_BUNDLE, DATABASE_URL: lineUrl.href },
      ...{ ...temporalBy(lines.temporal), EGRESS_ALLOW: `127.0.0.1:${sitePort}` },
      ...{ API_HOST: '127.0.0.1', API_PORT: String(apiPort), PUBLIC_URL: apiUrl },
    };

    /** A process of the service; each start of it has a log of its own. */
    function process(name: PartName, start: typeof startWorker, own: Record<string, string>): Promise<Part> {
      let starts = 0;
      return part(name, (onEnd) => {
        starts += 1;
        const label = `${name.replace(' ', '-')}.${starts}`;
        return start({ name: label, dataFolder, settings: { ...settings, ...own }, report: onEnd });
      });
    }
    const metrics = (at: number) => ({ METRICS_PORT: String(metricsPorts[at]) });
    const [worker1, worker2, api, dispatcher] = await Promise.all([
      process('worker 1', startWorker, { ...metrics(0), ...temporalBy(lines['worker 1']) }),
      process('worker 2', startWorker, { ...metrics(1), ...temporalBy(lines['worker 2']) }),
      process('api', startApi, {}),
      process('dispatcher', startDispatcherProcess, metrics(2)),
    ]);
    const parts = { postgres, temporal, storage, 'worker 1': worker1, 'worker 2': worker2, api, dispatcher };

    const client = createTemporalClient({
      TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
      TEMPORAL_NAMESPACE: 'default',
    });
    stops.push(() => client.connection.close());
    const bucket = createStorage({
      ...{ endpoint: S3.S3_ENDPOINT ?? '', publicEndpoint: S3.S3_ENDPOINT ?? '', region: S3.S3_REGION ?? '' },
      ...{ bucket: BUCKET, accessKeyId: S3.S3_ACCESS_KEY_ID ?? '', secretAccessKey: S3.S3_SECRET_ACCESS_KEY ?? '' },
    });
    stops.push(async () => bucket.close());
    return {
      ...{ folder, apiUrl, settings, parts, lines, database, temporal: client, storage: bucket, ended, stop },
    };
  }

  try {
    return await start();
  } catch (error) {
    await stop({ keepFolder: false });
    throw error;
  }
}
