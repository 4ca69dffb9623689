/** The dispatcher process, for installations that do not run it inside the API. */
import { openDatabase } from '../../db/orm.ts';
import { loadConfig } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { startMetricsServer } from '../../platform/metrics-server.ts';
import { onShutdownSignal } from '../../platform/shutdown.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { startDispatcher } from './outbox/dispatcher.ts';
import { startReconciler } from './reconciler/reconciler.ts';
import { startSweeper } from './sweeper/sweeper.ts';

const config = loadConfig();
const logger = createLogger('dispatcher', config.LOG_LEVEL);
const metrics = createMetrics();
const database = await openDatabase(config.DATABASE_URL, config.DATABASE_POOL_MAX, logger);
const temporal = createTemporalClient(config);
const storage = createStorage(storageOptions(config));
const deps = { config, database, storage, temporal, logger, metrics };
const dispatcher = startDispatcher(deps);
const reconciler = startReconciler(deps);
const sweeper = startSweeper(deps);
const server = await startMetricsServer({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  metrics,
  healthy: () => true,
});
logger.info({ event: 'dispatcher.ready', metricsPort: server.port });

onShutdownSignal(async () => {
  await Promise.allSettled([dispatcher.stop(), reconciler.stop(), sweeper.stop(), server.close()]);
  await temporal.connection.close();
  storage.close();
  await database.close();
  process.exit(0);
});
