import type { Client } from '@temporalio/client';
import type { Database } from '../../db/orm.ts';
import type { Config } from '../../platform/config.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Storage } from '../../platform/storage.ts';

/** What dispatcher, reconciler and sweeper work with; made once by the process. */
export interface DispatcherDependencies {
  config: Config;
  database: Database;
  storage: Storage;
  temporal: Client;
  logger: Logger;
  metrics: Metrics;
}
