/** The worker process: runs workflows and activities until it receives a shutdown signal. */
import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { openFenceWatch } from '../../activities/runtime/fence-watch.ts';
import { OwnerSlots } from '../../activities/runtime/owner-concurrency.ts';
import { TaskRoom } from '../../activities/runtime/task-room.ts';
import { openDatabase } from '../../db/orm.ts';
import { limitsSchema } from '../../extraction/limits.ts';
import { createExtractionPool } from '../../extraction/pool/pool.ts';
import { IsolationError, tryIsolation } from '../../extraction/pool/try-isolation.ts';
import { allowLookups, loadConfig } from '../../platform/config.ts';
import { createEgress } from '../../platform/egress.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMailer } from '../../platform/mail.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { startMetricsServer } from '../../platform/metrics-server.ts';
import { onShutdownSignal } from '../../platform/shutdown.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { connectToTemporal, createWorker, TASK_PLACES } from './worker.ts';

const config = loadConfig();
allowLookups(config.WORKER_ACTIVITIES);
const logger = createLogger('worker', config.LOG_LEVEL);
if (config.EXTRACTION_ISOLATION === 'namespaces') {
  try {
    await tryIsolation();
  } catch (error) {
    if (!(error instanceof IsolationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    // EX_CONFIG of sysexits.h, as for every invalid setting.
    process.exit(78);
  }
} else {
  logger.warn({ event: 'extraction.not_isolated', setting: 'EXTRACTION_ISOLATION' });
}
// Before any connection to Temporal: its core logs through our logger and does not shut down on signals by itself.
Runtime.install({
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
  logger: {
    log: (level, message, meta) => logger.info({ event: 'temporal.log', level, message, ...meta }),
    trace: (message, meta) => logger.trace({ event: 'temporal.log', message, ...meta }),
    debug: (message, meta) => logger.debug({ event: 'temporal.log', message, ...meta }),
    info: (message, meta) => logger.debug({ event: 'temporal.log', message, ...meta }),
    warn: (message, meta) => logger.warn({ event: 'temporal.log', message, ...meta }),
    error: (message, meta) => logger.error({ event: 'temporal.log', message, ...meta }),
  },
});

const stopping = new AbortController();
onShutdownSignal(() => stopping.abort());

const metrics = createMetrics();
const database = await openDatabase(config.DATABASE_URL, config.DATABASE_POOL_MAX, logger);
const storage = createStorage(storageOptions(config));
const egress = createEgress({ allow: config.EGRESS_ALLOW });
// For activities that act on other runs; the worker polls through its own native connection.
const temporal = createTemporalClient(config);
const limits = limitsSchema.parse({
  characters: config.EXTRACTION_MAX_CHARACTERS,
  pages: config.EXTRACTION_MAX_PAGES,
  cells: config.EXTRACTION_MAX_CELLS,
  entries: config.EXTRACTION_MAX_ENTRIES,
  inflatedBytes: config.EXTRACTION_MAX_INFLATED_BYTES,
  nesting: config.EXTRACTION_MAX_NESTING,
  nodes: config.EXTRACTION_MAX_NODES,
  artifacts: config.EXTRACTION_MAX_ARTIFACTS,
});
const extraction = createExtractionPool({
  processes: config.EXTRACTION_PROCESSES,
  timeoutMs: config.EXTRACTION_TIMEOUT_SECONDS * 1_000,
  memoryMb: config.EXTRACTION_MEMORY_MB,
  isolation: config.EXTRACTION_ISOLATION,
  limits,
});
// An owner may hold a quarter of the slots: one alone cannot fill a worker, four can.
const ownerSlots = new OwnerSlots(Math.ceil(config.WORKER_ACTIVITIES / 4));
// Members are joined in memory: one composition of an owner at a time.
const joinSlots = new OwnerSlots(1);
const taskRoom = new TaskRoom(TASK_PLACES);
const fences = openFenceWatch({ config, database, logger, metrics });
const mail = createMailer({ url: config.SMTP_URL, from: config.MAIL_FROM });

let healthy = false;
const server = await startMetricsServer({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  metrics,
  healthy: () => healthy && extraction.isAvailable(),
});

let exitCode = 0;
try {
  const connection = await connectToTemporal({ config, temporal, logger, metrics }, stopping.signal);
  const worker = await createWorker(
    {
      config,
      database,
      storage,
      egress,
      extraction,
      ownerSlots,
      joinSlots,
      taskRoom,
      limits,
      fences,
      mail,
      temporal,
      logger,
      metrics,
    },
    connection,
  );
  stopping.signal.addEventListener('abort', () => worker.shutdown());
  if (!stopping.signal.aborted) {
    healthy = true;
    logger.info({ event: 'worker.ready', taskQueue: config.TEMPORAL_TASK_QUEUE, metricsPort: server.port });
    await worker.run();
  }
  await connection.close();
} catch (error) {
  if (!stopping.signal.aborted) {
    logger.fatal({ event: 'worker.failed', err: error });
    exitCode = 1;
  }
} finally {
  healthy = false;
  await Promise.allSettled([
    ...[extraction.close(), egress.close(), fences.close()],
    ...[temporal.connection.close(), server.close()],
  ]);
  storage.close();
  await database.close();
}
process.exit(exitCode);
