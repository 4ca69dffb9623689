import type { Client } from '@temporalio/client';
import type { Database } from '../../db/orm.ts';
import type { Limits } from '../../extraction/limits.ts';
import type { ExtractionPool } from '../../extraction/pool/pool.ts';
import type { Config } from '../../platform/config.ts';
import type { Egress } from '../../platform/egress.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mail.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Storage } from '../../platform/storage.ts';
import type { FenceWatch } from './fence-watch.ts';
import type { OwnerSlots } from './owner-concurrency.ts';

/** What activities work with; made once by the worker. */
export interface Dependencies {
  config: Config;
  database: Database;
  storage: Storage;
  egress: Egress;
  extraction: ExtractionPool;
  /** For what waits for other people's servers. */
  turns: OwnerSlots;
  /** For the texts of compositions, which are held in memory. */
  joinTurns: OwnerSlots;
  limits: Limits;
  /** Stops activities whose generation or round is over. */
  fences: FenceWatch;
  mail: Mailer;
  temporal: Client;
  logger: Logger;
  metrics: Metrics;
}
