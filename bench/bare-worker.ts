/** The worker of the bare workflow: options as the service's worker, activities of the same names that do nothing. */
import { fileURLToPath } from 'node:url';
import { makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import type { createActivities } from '../activities/index.ts';
import { connectToTemporal, workerOptions } from '../apps/worker/worker.ts';
import { loadConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createMetrics } from '../platform/metrics.ts';
import { startMetricsServer } from '../platform/metrics-server.ts';
import { onShutdownSignal } from '../platform/shutdown.ts';

type Activities = ReturnType<typeof createActivities>;

const activities: Pick<Activities, 'beginGeneration' | 'extractContent' | 'finishGeneration'> = {
  beginGeneration: async ({ generation }) => ({ generation, plan: null, newest: generation, owed: [] }),
  extractContent: async () => undefined,
  finishGeneration: async (ref) => ({ status: 'COMPLETED', generation: ref.generation, owed: [] }),
};

const config = loadConfig();
const logger = createLogger('bare-worker', config.LOG_LEVEL);
Runtime.install({
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
});
const stopping = new AbortController();
onShutdownSignal(() => stopping.abort());

let healthy = false;
const server = await startMetricsServer({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  metrics: createMetrics(),
  healthy: () => healthy,
});
const connection = await connectToTemporal(config, logger, stopping.signal);
const worker = await Worker.create({
  ...workerOptions(config),
  // Activities that return at once wait for nothing: here a few slots would only take their eager start.
  maxConcurrentActivityTaskExecutions: config.WORKER_ACTIVITIES,
  connection,
  workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
  activities,
});
stopping.signal.addEventListener('abort', () => worker.shutdown());
healthy = true;
await worker.run();
await connection.close();
await server.close();
process.exit(0);
