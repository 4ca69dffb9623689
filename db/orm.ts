import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { Logger } from '../platform/logger.ts';
import { ANSWER_TIMEOUT_MS, limitAnswerTimes } from './answer-limit.ts';
import { ormConfig } from './mikro-orm.config.ts';
import { relayNotifications } from './notification-relay.ts';

/** The one way to the records: the ORM for reading and simple writes, its own pool for named statements (sql.ts). */
export interface Database {
  orm: MikroORM;
  pool: Pool;
  close(): Promise<void>;
}

/**
 * Opens the database lazily: connections are made when they are first needed, `poolMax` at most and one that sends
 * notifications. The logger gets their failures. Close the database when the process ends.
 */
export async function openDatabase(url: string, poolMax: number, logger?: Logger): Promise<Database> {
  const orm = await MikroORM.init(ormConfig(url, poolMax));
  const pool = await orm.em.getConnection().getNativeClient();
  limitAnswerTimes(pool, ANSWER_TIMEOUT_MS);
  const relay = relayNotifications(pool, url, logger);
  return {
    orm,
    pool,
    async close() {
      await orm.close(true);
      // The ORM ends its pool only where it has sent something itself; connections left over keep a process alive.
      if (!pool.ended) await pool.end();
      await relay.close();
    },
  };
}
