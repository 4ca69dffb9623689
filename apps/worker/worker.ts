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
/** Activities beyond the number of children, so that a child need not wait for storage and database. */
const EXTRA_SLOTS = 2;
/** Few: the more runs are worked on at the same time, the longer each takes, also that of an owner with only one. */
const WORKFLOW_TASK_SLOTS = 24;
/** Slots for workflow tasks that extraction may hold: the other ones remain for signals and ends. */
export const TASK_PLACES = 16;

/**
 * Connects to Temporal; retries every second until it succeeds or `signal` aborts.
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

/** Options of both workers for namespace, heartbeats and shutdown. */
function commonOptions(config: Config) {
  return {
    namespace: config.TEMPORAL_NAMESPACE,
    // At most one heartbeat of an activity in this time: Temporal Cloud bills each of them.
    maxHeartbeatThrottleInterval: '10s',
    defaultHeartbeatThrottleInterval: '10s',
    shutdownGraceTime: '25s',
    // Without it run() can hang after a fatal error.
    shutdownForceTime: '40s',
  } as const;
}

/** Options of the worker for workflows and for extraction, on one queue. `npm run bench:runs` uses them, too. */
export function workerOptions(config: Config): Omit<WorkerOptions, 'workflowsPath' | 'activities'> {
  // Few: an activity without a slot waits in Temporal's queue, where the owners take turns.
  const slots = config.EXTRACTION_PROCESSES + EXTRA_SLOTS;
  return {
    ...commonOptions(config),
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASK_SLOTS,
    maxConcurrentActivityTaskExecutions: slots,
    // A poll holds a slot, and eager activities (returned with a completed workflow task) need free ones.
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.ceil(slots / 4) },
    // The runs of a killed worker move to another one after this time.
    stickyQueueScheduleToStartTimeout: '1s',
  };
}

/** Options of the worker for activities that mostly wait for other servers. */
function waitingWorkerOptions(config: Config): WorkerOptions {
  return {
    ...commonOptions(config),
    taskQueue: waitingTaskQueue(config.TEMPORAL_TASK_QUEUE),
    maxConcurrentActivityTaskExecutions: config.WORKER_ACTIVITIES,
  };
}

export interface RunningWorker {
  /** Resolves after `shutdown`, when all activities have ended. @throws the error that ended one of the two workers */
  run(): Promise<void>;
  shutdown(): void;
}

/** Creates the workers of both task queues, as one. */
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
      // Both end together: one alone cannot complete a run.
      const ended = workers.map((worker) => worker.run().finally(shutdown));
      await Promise.allSettled(ended);
      await Promise.all(ended);
    },
  };
}
