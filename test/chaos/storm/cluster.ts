/** The whole service in a temporary folder; every process can be killed and paused. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { findBinary } from '../../../apps/dev/binaries/binary.ts';
import { startMail } from '../../../apps/dev/servers/mail.ts';
import { freePorts } from '../../../apps/dev/servers/ports.ts';
import { startStorage } from '../../../apps/dev/servers/storage.ts';
import { startTemporal } from '../../../apps/dev/servers/temporal.ts';
import * as present from '../../../apps/dev/service.ts';
import type { Database } from '../../../db/orm.ts';
import { createStorage, type Storage } from '../../../platform/storage.ts';
import { createTemporalClient } from '../../../platform/temporal.ts';
import { type ManagedProcess, startManagedProcess } from '../../support/managed-process.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { checkOutOtherVersion } from './other-version.ts';
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts';

const BUCKET = 'context-workspace';
/** Latency in each direction: long enough for a reset to fall between two calls, short compared with a run. */
const PROXY_DELAY_MS = 15;
export const RETENTION_SECONDS = 25;

export const serverNames = ['postgres', 'temporal', 'storage'] as const;
export const workerNames = ['worker 1', 'worker 2'] as const;
export const processNames = [...serverNames, ...workerNames, 'api', 'dispatcher'] as const;
/** Processes of the earlier version (other-version.ts). */
export const otherProcessNames = ['other worker', 'other api'] as const;
export type ProcessName = (typeof processNames)[number] | (typeof otherProcessNames)[number];
/** One proxy for each server, and one to Temporal for each worker. */
export type ProxyName = (typeof serverNames)[number] | (typeof workerNames)[number];

/** Offsets of 90 to 150 s; S3 signatures tolerate 15 minutes. PostgreSQL and Temporal have the true time. */
const clockOffsetsMs: Partial<Record<ProcessName, number>> = {
  'worker 2': 150_000,
  dispatcher: -120_000,
  'other worker': -90_000,
  'other api': 100_000,
};

export interface Cluster {
  folder: string;
  /** The API of the present version. */
  apiUrl: string;
  /** All APIs. */
  apiUrls: string[];
  mailFolder: string;
  retentionMs: number;
  /** Settings of the service that bypass the proxies, for the operator's command line. */
  settings: Record<string, string>;
  processes: Partial<Record<ProcessName, ManagedProcess>>;
  postgres: PostgresPair;
  /** Used by the service only; the test itself connects directly. */
  proxies: Record<ProxyName, TcpProxy>;
  database: Database;
  temporal: Client;
  storage: Storage;
  /** Reports of processes that exited without having been killed. */
  ended: string[];
  /** Stops everything and removes the folder unless `keepFolder` is true. */
  stop(options: { keepFolder: boolean }): Promise<void>;
}

export interface ClusterOptions {
  /** Port of the test site, which the service may fetch from. */
  sitePort: number;
  /** Whether PostgreSQL has a standby and can fail over. */
  standby: boolean;
  twoVersions: boolean;
  clocksApart: boolean;
}

/** Short intervals, so that retries and recoveries happen within a chaos run. */
const chaosSettings = {
  SECRETS_KEY: Buffer.alloc(32, 'storm').toString('base64'),
  LOG_LEVEL: 'info',
  RATE_LIMIT_PRO: '10000000',
  OPEN_WAITS_PRO: '1000',
  EXTRACTION_PROCESSES: '1',
  RECONCILER_SWEEP_SECONDS: '1',
  RECONCILER_GRACE_SECONDS: '3',
  FETCH_RETRY_SECONDS: '6',
  RETENTION_SECONDS: String(RETENTION_SECONDS),
  SWEEP_SECONDS: '3',
  OBJECT_GRACE_SECONDS: '2',
  // Far more attempts than receivers fail: no postback may exhaust its schedule.
  POSTBACK_SCHEDULE_SECONDS: ['0', ...Array.from({ length: 60 }, () => '2')].join(','),
};

type Service = Pick<typeof present, 'startApi' | 'startWorker' | 'startDispatcherProcess'>;

async function bundleWorkflows(project: string, file: string): Promise<string> {
  await promisify(execFile)(process.execPath, [join(project, 'apps/worker/bundle.ts'), file]);
  return file;
}

/** Imports the start functions of the other version from its own files. */
async function otherService(project: string): Promise<Service> {
  return import(pathToFileURL(join(project, 'apps/dev/service.ts')).href);
}

/** Starts everything. */
export async function startCluster(options: ClusterOptions, signal: AbortSignal): Promise<Cluster> {
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
  function startProcess(name: string, start: Parameters<typeof startManagedProcess>[1]): Promise<ManagedProcess> {
    signal.throwIfAborted();
    const starting = startManagedProcess(name, start, report);
    // Stopped even if another process fails to start meanwhile.
    stops.push(() => starting.then((started) => started.kill()));
    return starting;
  }

  async function startServers() {
    // PostgreSQL runs as another user and must be able to traverse the folder.
    await chmod(folder, 0o711);
    const dataFolder = folder;
    const [temporalBinary, storageBinary, ports] = await Promise.all([
      findBinary('temporal', { report: console.log, signal }),
      findBinary('versitygw', { report: console.log, signal }),
      freePorts(5),
    ]);
    const [postgresPort = 0, standbyPort = 0, temporalPort = 0, storagePort = 0, smtpPort = 0] = ports;
    let S3: Record<string, string> = {};
    const pair = startPostgresPair(folder, postgresPort, standbyPort, options.standby, report);
    stops.push(() => pair.then(({ primary }) => primary.kill()));
    stops.push(() => pair.then((started) => started.stop()));
    const [postgres, temporal, storage, mail] = await Promise.all([
      pair,
      startProcess('temporal', (onEnd) =>
        startTemporal({
          ...{ dataFolder, binary: temporalBinary, port: temporalPort, uiPort: undefined },
          ...{ durable: false, report: onEnd },
        }),
      ),
      startProcess('storage', async (onEnd) => {
        const started = await startStorage({ dataFolder, binary: storageBinary, port: storagePort, report: onEnd });
        S3 = {
          ...{ S3_ENDPOINT: started.endpoint, S3_REGION: started.region, S3_BUCKET: BUCKET },
          ...{ S3_ACCESS_KEY_ID: started.accessKeyId, S3_SECRET_ACCESS_KEY: started.secretAccessKey },
        };
        return started;
      }),
      startMail({ dataFolder, port: smtpPort }),
    ]);
    stops.push(mail.stop);
    return { postgres, temporal, storage, mail, S3, temporalPort, storagePort, postgresPort };
  }

  async function start(): Promise<Cluster> {
    const servers = await startServers();
    const { postgres, mail, S3, temporalPort } = servers;
    const project = fileURLToPath(new URL('../../../', import.meta.url));
    const otherProject = join(folder, 'other-version');
    const [bundle, otherBundle, other] = await Promise.all([
      bundleWorkflows(project, join(folder, 'workflow-bundle.js')),
      ...(options.twoVersions
        ? await checkOutOtherVersion(otherProject).then(
            () => [bundleWorkflows(otherProject, join(folder, 'other-bundle.js')), otherService(otherProject)] as const,
          )
        : []),
    ]);
    const database = await present.openMigrated(postgres.url);
    stops.push(() => database.close());
    const proxy = (port: number) => startTcpProxy(port, { delayMs: PROXY_DELAY_MS });
    const proxies: Cluster['proxies'] = {
      postgres: await proxy(servers.postgresPort),
      temporal: await proxy(temporalPort),
      storage: await proxy(servers.storagePort),
      'worker 1': await proxy(temporalPort),
      'worker 2': await proxy(temporalPort),
    };
    stops.push(...Object.values(proxies).map(({ close }) => close));
    const [apiPort = 0, otherApiPort = 0, ...metricsPorts] = await freePorts(6);
    const urlOf = (port: number) => `http://127.0.0.1:${port}`;
    const apiUrl = urlOf(apiPort);
    const direct: Record<string, string> = {
      ...{ ...chaosSettings, ...S3, DATABASE_URL: postgres.url, PUBLIC_URL: apiUrl, API_HOST: '127.0.0.1' },
      ...{ TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`, EGRESS_ALLOW: `127.0.0.1:${options.sitePort}` },
      ...{ SMTP_URL: mail.url, S3_PUBLIC_ENDPOINT: S3.S3_ENDPOINT ?? '' },
    };
    const proxied = new URL(postgres.url);
    proxied.port = String(proxies.postgres.port);
    const settings: Record<string, string> = {
      ...{ ...direct, DATABASE_URL: proxied.href, S3_ENDPOINT: urlOf(proxies.storage.port) },
      ...{ TEMPORAL_ADDRESS: proxies.temporal.address, WORKFLOW_BUNDLE: bundle },
    };
    const clock = pathToFileURL(join(project, 'test/chaos/storm/clock-offset.ts')).href;

    /** Starts a process of the service; each restart writes a new log. */
    function service(
      name: ProcessName,
      startIt: Service['startWorker'],
      own: Record<string, string>,
    ): Promise<ManagedProcess> {
      let starts = 0;
      const offsetMs = options.clocksApart ? (clockOffsetsMs[name] ?? 0) : 0;
      const shifted = { NODE_OPTIONS: `--import=${clock}`, CLOCK_OFFSET_MS: String(offsetMs) };
      const all = { ...settings, ...own, ...(offsetMs === 0 ? {} : shifted) };
      return startProcess(name, (onEnd) => {
        starts += 1;
        const label = `${name.replace(' ', '-')}.${starts}`;
        return startIt({ name: label, dataFolder: folder, settings: all, report: onEnd });
      });
    }
    const metrics = (at: number) => ({ METRICS_PORT: String(metricsPorts[at]) });
    const byWorker = (name: 'worker 1' | 'worker 2') => ({ TEMPORAL_ADDRESS: proxies[name].address });
    const [worker1, worker2, api, dispatcher, otherWorker, otherApi] = await Promise.all([
      service('worker 1', present.startWorker, { ...metrics(0), ...byWorker('worker 1') }),
      service('worker 2', present.startWorker, { ...metrics(1), ...byWorker('worker 2') }),
      service('api', present.startApi, { API_PORT: String(apiPort) }),
      service('dispatcher', present.startDispatcherProcess, metrics(2)),
      ...(other === undefined
        ? []
        : [
            service('other worker', other.startWorker, { ...metrics(3), WORKFLOW_BUNDLE: otherBundle ?? '' }),
            service('other api', other.startApi, { API_PORT: String(otherApiPort) }),
          ]),
    ]);
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
      ...{ folder, apiUrl, settings: direct, proxies, postgres, database, temporal: client, storage: bucket },
      ...{ ended, stop, mailFolder: mail.folder, retentionMs: RETENTION_SECONDS * 1_000 },
      apiUrls: other === undefined ? [apiUrl] : [apiUrl, urlOf(otherApiPort)],
      processes: {
        ...{ postgres: postgres.primary, temporal: servers.temporal, storage: servers.storage },
        ...{ 'worker 1': worker1, 'worker 2': worker2, api, dispatcher },
        ...(otherWorker && otherApi ? { 'other worker': otherWorker, 'other api': otherApi } : {}),
      },
    };
  }

  try {
    return await start();
  } catch (error) {
    await stop({ keepFolder: false });
    throw error;
  }
}
