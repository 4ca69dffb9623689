import { NativeConnection, type NativeConnectionOptions, Worker, type WorkerOptions } from '@temporalio/worker';
import type { Dependencies } from '../../activities/dependencies.ts';
import { createActivities } from '../../activities/index.ts';
import type { Config } from '../../platform/config.ts';
import type { Logger } from '../../platform/logger.ts';
import { workflowsPath } from './bundle.ts';

const RECONNECT_MS = 1_000;

/** Connects to Temporal, trying until it is there. */
export async function connectToTemporal(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
): Promise<NativeConnection> {
  const options: NativeConnectionOptions = { address: config.TEMPORAL_ADDRESS };
  for (;;) {
    signal.throwIfAborted();
    try {
      return await NativeConnection.connect(options);
    } catch (error) {
      logger.warn({ event: 'temporal.unavailable', message: error instanceof Error ? error.message : String(error) });
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }
}

/** How a worker polls, beats and shuts down; `npm run bench:runs` gives the worker that it compares with the same. */
export function workerOptions(config: Config): Omit<WorkerOptions, 'workflowsPath' | 'activities'> {
  return {
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    maxConcurrentActivityTaskExecutions: config.WORKER_ACTIVITIES,
    // A canceled activity hears of it in the answer to a heartbeat: seldom ones would break the promise of 2 s.
    maxHeartbeatThrottleInterval: '500ms',
    defaultHeartbeatThrottleInterval: '500ms',
    // After a worker was killed, its runs move to another one this soon.
    stickyQueueScheduleToStartTimeout: '1s',
    shutdownGraceTime: '25s',
    // Without it run() can hang after a fatal error.
    shutdownForceTime: '40s',
  };
}

/** A worker for all workflows and activities of the service. `run()` it; `shutdown()` lets what runs come to its end. */
export async function createWorker(deps: Dependencies, connection: NativeConnection): Promise<Worker> {
  return Worker.create({
    ...workerOptions(deps.config),
    connection,
    ...(deps.config.WORKFLOW_BUNDLE === undefined
      ? { workflowsPath }
      : { workflowBundle: { codePath: deps.config.WORKFLOW_BUNDLE } }),
    activities: createActivities(deps),
  });
}
