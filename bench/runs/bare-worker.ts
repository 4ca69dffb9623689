/** Worker process of the two bare workflows, each on its own task queue. Their activities do nothing. */
import { fileURLToPath } from 'node:url';
import { makeTelemetryFilterString, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import type { createActivities } from '../../activities/index.ts';
import { connectToTemporal, workerOptions } from '../../apps/worker/worker.ts';
import { loadConfig } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { onShutdownSignal } from '../../platform/shutdown.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { createEndedRuns } from './ended-runs.ts';
import type { FixedActivities } from './fixed-workflow.ts';
import { BARE_TASK_QUEUE, FIXED_TASK_QUEUE } from './task-queues.ts';

type Activities = ReturnType<typeof createActivities>;

const ended = createEndedRuns();

/** Activities of `bare`, named like the service's since it uses the service's workflow code. */
const bareActivities: Pick<Activities, 'beginGeneration' | 'extractContent' | 'finishGeneration'> = {
  beginGeneration: async ({ generation }) => ({ generation, plan: null, newest: generation, owed: [] }),
  extractContent: async () => undefined,
  finishGeneration: async ({ sourceId, generation }) => {
    ended.add(sourceId);
    return { status: 'COMPLETED', generation, owed: [] };
  },
};

const fixedActivities: FixedActivities = {
  begin: async ({ generation }) => ({ plan: null, newest: generation, owed: [] }),
  extractContext: async () => undefined,
  extractArtifacts: async () => undefined,
  finish: async ({ sourceId, generation }) => {
    ended.add(sourceId);
    return { status: 'COMPLETED', generation, owed: [] };
  },
};

/** Options of the service's worker in November 2026 on two cores, as constants: they must not change either. */
const fixedOptions: Omit<WorkerOptions, 'taskQueue'> = {
  namespace: 'default',
  maxHeartbeatThrottleInterval: '500ms',
  defaultHeartbeatThrottleInterval: '500ms',
  stickyQueueScheduleToStartTimeout: '1s',
  maxConcurrentActivityTaskExecutions: 40,
  activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
  shutdownGraceTime: '25s',
  shutdownForceTime: '40s',
};

const config = loadConfig();
const logger = createLogger('bare-worker', config.LOG_LEVEL);
Runtime.install({
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
});
const stopping = new AbortController();
onShutdownSignal(() => stopping.abort());

await ended.listen(config.METRICS_HOST, config.METRICS_PORT);
const temporal = createTemporalClient(config);
const metrics = createMetrics();
const connection = await connectToTemporal({ config, temporal, logger, metrics }, stopping.signal);
const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const workers = [
  await Worker.create({
    ...workerOptions(config),
    taskQueue: BARE_TASK_QUEUE,
    // These activities return immediately. Fewer slots would only prevent their eager start.
    maxConcurrentActivityTaskExecutions: config.WORKER_ACTIVITIES,
    connection,
    workflowsPath: pathOf('./bare-workflow.ts'),
    activities: bareActivities,
  }),
  await Worker.create({
    ...fixedOptions,
    taskQueue: FIXED_TASK_QUEUE,
    connection,
    workflowsPath: pathOf('./fixed-workflow.ts'),
    activities: { ...fixedActivities },
  }),
];
stopping.signal.addEventListener('abort', () => {
  for (const worker of workers) worker.shutdown();
});
ended.setHealthy();
await Promise.all(workers.map((worker) => worker.run()));
await connection.close();
await temporal.connection.close();
await ended.close();
process.exit(0);
