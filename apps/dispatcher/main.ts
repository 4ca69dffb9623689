/** The dispatcher process: for installations that do not run it inside the API. */
import { openDatabase } from '../../db/orm.ts';
import { loadConfig } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { startMetricsServer } from '../../platform/metrics-server.ts';
import { onShutdownSignal } from '../../platform/shutdown.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { startDispatcher } from './dispatcher.ts';
import { startReconciler } from './reconciler.ts';

const config = loadConfig();
const logger = createLogger('dispatcher', config.LOG_LEVEL);
const metrics = createMetrics();
const database = await openDatabase(config.DATABASE_URL, config.DATABASE_POOL_MAX);
const temporal = createTemporalClient(config);
const deps = { config, database, temporal, logger, metrics };
const dispatcher = startDispatcher(deps);
const reconciler = startReconciler(deps);
const server = await startMetricsServer({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT,
  metrics,
  healthy: () => true,
});
logger.info({ event: 'dispatcher.ready', metricsPort: server.port });

onShutdownSignal(async () => {
  await Promise.allSettled([dispatcher.stop(), reconciler.stop(), server.close()]);
  await temporal.connection.close();
  await database.close();
  process.exit(0);
});
