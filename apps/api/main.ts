/** The API process; it runs the dispatcher, the reconciler and the sweeper too unless API_RUNS_DISPATCHER is false. */
import { openDatabase } from '../../db/orm.ts';
import { allowLookups, loadConfig } from '../../platform/config.ts';
import { createEgress } from '../../platform/egress.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { onShutdownSignal } from '../../platform/shutdown.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { createTemporalClient } from '../../platform/temporal.ts';
import { startDispatcher } from '../dispatcher/outbox/dispatcher.ts';
import { startReconciler } from '../dispatcher/reconciler/reconciler.ts';
import { startSweeper } from '../dispatcher/sweeper/sweeper.ts';
import { createServer } from './server.ts';

/** While storage is unavailable, a request fails within 5 s. */
const STORAGE_TIMEOUT_MS = 4_000;

const config = loadConfig();
allowLookups(config.WORKER_ACTIVITIES);
const logger = createLogger('api', config.LOG_LEVEL);
const metrics = createMetrics();
const database = await openDatabase(config.DATABASE_URL, config.DATABASE_POOL_MAX, logger);
// The short timeout is for requests; sweeps use the default one.
const storage = createStorage(storageOptions(config), { timeoutMs: STORAGE_TIMEOUT_MS });
const backgroundStorage = createStorage(storageOptions(config));
const egress = createEgress({ allow: config.EGRESS_ALLOW });
const temporal = createTemporalClient(config);

// Creates the bucket once storage responds; until then uploads fail and everything else works.
storage.ensureBucket().catch((error: unknown) => logger.warn({ event: 'storage.unavailable', err: error }));

const backgroundDeps = { config, database, storage: backgroundStorage, temporal, logger, metrics };
const background = config.API_RUNS_DISPATCHER
  ? [startDispatcher(backgroundDeps), startReconciler(backgroundDeps), startSweeper(backgroundDeps)]
  : [];
const server = await createServer({ config, database, storage, egress, temporal, logger, metrics });
await server.listen({ host: config.API_HOST, port: config.API_PORT });
logger.info({
  event: 'api.ready',
  addresses: server.addresses(),
  dispatcher: config.API_RUNS_DISPATCHER,
});

onShutdownSignal(async () => {
  await server.close();
  await Promise.allSettled(background.map((part) => part.stop()));
  await Promise.allSettled([egress.close(), temporal.connection.close()]);
  storage.close();
  backgroundStorage.close();
  await database.close();
  process.exit(0);
});
