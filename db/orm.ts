import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { Logger } from '../platform/logger.ts';
import { entityManagerOn } from './em-on-client.ts';
import { ormConfig } from './mikro-orm.config.ts';
import { type NotificationRelay, relayNotifications } from './notification-relay.ts';
import { limitResponseTimes, RESPONSE_TIMEOUT_MS } from './response-timeouts.ts';

/** Access to the database: the ORM for reads and simple writes, its pool for named statements (sql.ts). */
export interface Database {
  orm: MikroORM;
  pool: Pool;
  notifications: Omit<NotificationRelay, 'close'>;
  /** An entity manager whose queries run on a connection that the caller holds. */
  entityManagerOn(client: PoolClient): EntityManager;
  close(): Promise<void>;
}

/**
 * Opens the database lazily: connections are made when needed, at most `poolMax` and one that sends notifications. The
 * logger gets the errors of the latter. Close the database when the process ends.
 */
export async function openDatabase(url: string, poolMax: number, logger?: Logger): Promise<Database> {
  const orm = await MikroORM.init(ormConfig(url, poolMax));
  const pool = await orm.em.getConnection().getNativeClient();
  limitResponseTimes(pool, RESPONSE_TIMEOUT_MS);
  const notifications = relayNotifications(pool, url, logger);
  return {
    orm,
    pool,
    notifications,
    entityManagerOn: (client) => entityManagerOn(orm, client),
    async close() {
      await orm.close(true);
      // The ORM ends its pool only if it has used it itself; open connections would keep the process alive.
      if (!pool.ended) await pool.end();
      await notifications.close();
    },
  };
}
