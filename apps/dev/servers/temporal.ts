/** The Temporal dev server with its UI, on an SQLite file. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { searchAttributes } from '../../../contract/commands.ts';
import { isListening } from './ports.ts';
import { startProcess } from './process.ts';

export const NAMESPACE = 'default';

/**
 * Dynamic configuration; deploy/temporal/dynamicconfig.yaml has the same for docker-compose.yml. The first two raise a
 * default of 20 polls a second, which adds 50 ms to every task. Without the third, retries under a second wait a whole
 * second. Without the fifth, a fairnessKey is silently ignored. With several partitions (default 4) fairness holds only
 * within each of them, so that a task in another partition still waits for dozens.
 */
export const dynamicConfig = {
  'history.transferProcessorMaxPollRPS': 10_000,
  'history.timerProcessorMaxPollRPS': 10_000,
  'history.timerProcessorMaxTimeShift': '10ms',
  'system.enableActivityEagerExecution': true,
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
} as const;

export interface TemporalOptions {
  dataFolder: string;
  /** The Temporal CLI. */
  binary: string;
  /** A free port, see requirePort. */
  port: number;
  /** A free port; undefined: no UI. */
  uiPort?: number | undefined;
  /** Whether acknowledged writes survive a crash of the machine; writes are faster without. */
  durable: boolean;
  /** Added to `dynamicConfig` above; null: Temporal's defaults only. */
  dynamicConfig?: Readonly<Record<string, unknown>> | null;
  report?: (line: string) => void;
}

export interface RunningTemporal {
  pid: number;
  /** `127.0.0.1:port` */
  address: string;
  uiUrl: string | undefined;
  stop(): Promise<void>;
}

/** A visibility query that succeeds when the namespace and every search attribute exist. */
const readyQuery = Object.keys(searchAttributes)
  .map((name) => `${name} IS NULL`)
  .join(' AND ');

/** Starts the server and returns when it accepts workflows with all search attributes. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const folder = join(options.dataFolder, 'temporal');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = `127.0.0.1:${options.port}`;
  const pragmas = ['journal_mode=WAL', ...(options.durable ? [] : ['synchronous=OFF'])];
  const configured = options.dynamicConfig === null ? {} : { ...dynamicConfig, ...options.dynamicConfig };
  const connection = Connection.lazy({ address });
  try {
    const server = await startProcess({
      name: 'temporal',
      dataFolder: options.dataFolder,
      command: options.binary,
      args: [
        ...['server', 'start-dev', '--disable-config-file', '--disable-config-env', '--namespace', NAMESPACE],
        ...['--ip', '127.0.0.1', '--port', String(options.port), '--db-filename', join(folder, 'temporal.db')],
        ...(options.uiPort === undefined
          ? ['--headless']
          : ['--ui-port', String(options.uiPort), '--ui-disable-news-fetch']),
        ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
        ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
        ...Object.entries(configured).flatMap(([key, value]) => [
          '--dynamic-config-value',
          `${key}=${JSON.stringify(value)}`,
        ]),
      ],
      async ready() {
        // A gRPC channel waits a second after a refused connection.
        if (!(await isListening(options.port))) return false;
        await connection.withDeadline(Date.now() + 2000, () =>
          connection.workflowService.countWorkflowExecutions({ namespace: NAMESPACE, query: readyQuery }),
        );
        return true;
      },
      report: options.report,
    });
    const uiUrl = options.uiPort === undefined ? undefined : `http://127.0.0.1:${options.uiPort}`;
    return { pid: server.pid, address, uiUrl, stop: () => server.stop() };
  } finally {
    await connection.close();
  }
}
