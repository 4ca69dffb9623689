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
import type { TaskRoom } from './task-room.ts';

/** Dependencies of the activities, created once by the worker. */
export interface Dependencies {
  config: Config;
  database: Database;
  storage: Storage;
  egress: Egress;
  extraction: ExtractionPool;
  /** Owner slots of activities that wait for servers outside the service. */
  ownerSlots: OwnerSlots;
  /** Owner slots of activities that join compositions, whose texts are held in memory. */
  joinSlots: OwnerSlots;
  /** Places for work inside workflow tasks. */
  taskRoom: TaskRoom;
  limits: Limits;
  /** Cancels activities whose generation or round is over. */
  fences: FenceWatch;
  mail: Mailer;
  temporal: Client;
  logger: Logger;
  metrics: Metrics;
}
