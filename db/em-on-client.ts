/** The ORM on a connection that somebody else holds, so that it takes part in a transaction of named statements. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import type { PoolClient } from 'pg';

/** An entity manager whose queries run on `client`, which stays the caller's to release. */
export function entityManagerOn(orm: MikroORM, client: PoolClient): EntityManager {
  const connection = { query: client.query.bind(client), release: () => undefined };
  const pool = { connect: async () => connection, end: async () => undefined, options: {} };
  const em = orm.em.fork({ clear: true });
  // Begun and ended by the caller: MikroORM opens no transaction of its own inside one.
  em.setTransactionContext(new Kysely({ dialect: new PostgresDialect({ pool }) }));
  return em;
}
