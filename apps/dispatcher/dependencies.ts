import type { Client } from '@temporalio/client';
import type { Database } from '../../db/orm.ts';
import type { Config } from '../../platform/config.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Storage } from '../../platform/storage.ts';

/** Dependencies of dispatcher, reconciler and sweeper; created once per process. */
export interface DispatcherDependencies {
  config: Config;
  database: Database;
  storage: Storage;
  temporal: Client;
  logger: Logger;
  metrics: Metrics;
}
