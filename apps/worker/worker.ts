import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import type { Dependencies } from '../../activities/runtime/dependencies.ts';
import { dependencyInterceptor } from '../../activities/runtime/dependency-interceptor.ts';
import { waitingTaskQueue } from '../../contract/task-queues.ts';
import type { Config } from '../../platform/config.ts';
import { dependencyTrouble, reportTrouble } from '../../platform/dependency-trouble.ts';
import { checkTemporal, SearchAttributesMissingError } from '../../platform/temporal.ts';
import { connectionSettings } from '../../platform/temporal-settings.ts';
import { workflowsPath } from './bundle.ts';

const RECONNECT_MS = 1_000;
/** Extractions beyond the number of children, so that these need not wait for the storage and the database. */
const EXTRA_SLOTS = 2;

/**
 * Connects to Temporal, trying until it accepts the service.
 * @throws SearchAttributesMissingError
 */
export async function connectToTemporal(
  deps: Pick<Dependencies, 'config' | 'temporal' | 'logger' | 'metrics'>,
  signal: AbortSignal,
): Promise<NativeConnection> {
  for (;;) {
    signal.throwIfAborted();
    try {
      await checkTemporal(deps.temporal);
      return await NativeConnection.connect(connectionSettings(deps.config));
    } catch (error) {
      if (error instanceof SearchAttributesMissingError) throw error;
      reportTrouble(deps, dependencyTrouble(error) ?? { dependency: 'temporal', reason: 'unreachable' }, error);
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }
}

/** How a worker polls, beats and shuts down; `npm run bench:runs` gives the worker that it compares with the same. */
function commonOptions(config: Config) {
  return {
    namespace: config.TEMPORAL_NAMESPACE,
    // An activity sends one heartbeat in this time at most, whatever it does: Temporal Cloud bills each of them.
    maxHeartbeatThrottleInterval: '10s',
    defaultHeartbeatThrottleInterval: '10s',
    shutdownGraceTime: '25s',
    // Without it run() can hang after a fatal error.
    shutdownForceTime: '40s',
  } as const;
}

/** For the runs, and for extraction on their own queue. */
export function workerOptions(config: Config): Omit<WorkerOptions, 'workflowsPath' | 'activities'> {
  // Few: what has no slot waits in Temporal's queue, where the owners take turns.
  const slots = config.EXTRACTION_PROCESSES + EXTRA_SLOTS;
  return {
    ...commonOptions(config),
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    maxConcurrentActivityTaskExecutions: slots,
    // A poll holds a slot, and only free ones are there for activities that come with the answer to a workflow task.
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.ceil(slots / 4) },
    // After a worker was killed, its runs move to another one this soon.
    stickyQueueScheduleToStartTimeout: '1s',
  };
}

/** For the activities that wait. */
function waitingWorkerOptions(config: Config): WorkerOptions {
  return {
    ...commonOptions(config),
    taskQueue: waitingTaskQueue(config.TEMPORAL_TASK_QUEUE),
    maxConcurrentActivityTaskExecutions: config.WORKER_ACTIVITIES,
  };
}

export interface RunningWorker {
  /** Works until `shutdown` and the end of what runs then. @throws what ended one of the two queues' workers */
  run(): Promise<void>;
  shutdown(): void;
}

/** A worker for all workflows and activities of the service. */
export async function createWorker(deps: Dependencies, connection: NativeConnection): Promise<RunningWorker> {
  const { config } = deps;
  const activities = createActivities(deps);
  const interceptors = { activity: [() => ({ inbound: dependencyInterceptor(deps) })] };
  const workers = await Promise.all([
    Worker.create({
      ...workerOptions(config),
      connection,
      activities,
      interceptors,
      ...(config.WORKFLOW_BUNDLE === undefined
        ? { workflowsPath }
        : { workflowBundle: { codePath: config.WORKFLOW_BUNDLE } }),
    }),
    Worker.create({ ...waitingWorkerOptions(config), connection, activities, interceptors }),
  ]);
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    shutdown,
    async run() {
      // One without the other would leave runs half done: they end together.
      const ended = workers.map((worker) => worker.run().finally(shutdown));
      await Promise.allSettled(ended);
      await Promise.all(ended);
    },
  };
}
