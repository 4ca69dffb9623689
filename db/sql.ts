/** Named, prepared statements on the ORM's pool, for hot paths and for writes that are fenced in SQL. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Pool, type PoolClient, types } from 'pg';
import { databaseError } from '../platform/database-errors.ts';
import type { Database } from './orm.ts';

/** Runs statements: the pool, or one connection inside a transaction. */
export type Session = Pool | PoolClient;

/** A connection inside a transaction: for writes of several statements. */
export type Transaction = PoolClient;

/** A statement and the type of its rows. The name is unique: each connection caches the plan under it. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Not prepared, but planned for its values each time: for conditions whose selectivity depends on the values. */
  readonly plannedByValues?: boolean;
  readonly row?: Row;
}

const declared = new Map<string, Statement<unknown>>();

/** Declares a statement. `Row` is the type of its rows: timestamps are Dates, bigints numbers. */
export function statement<Row>(
  name: string,
  text: string,
  options: Pick<Statement<Row>, 'plannedByValues'> = {},
): Statement<Row> {
  if (declared.has(name)) throw new Error(`Two statements are named "${name}".`);
  const made = { name, text, ...options };
  declared.set(name, made);
  return made;
}

/** All statements of the loaded modules, for a test that prepares each of them. */
export function declaredStatements(): Statement<unknown>[] {
  return [...declared.values()];
}

const INT8 = 20;
/** The ORM's pool leaves timestamps as text for its own mapping; these statements return Dates and numbers. */
const parsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/** Runs a statement and returns all of its rows. @throws DatabaseUnavailableError */
export async function query<Row>(
  session: Session,
  { name, text, plannedByValues = false }: Statement<Row>,
  values: unknown[],
): Promise<Row[]> {
  try {
    const result = await session.query({ ...(plannedByValues ? {} : { name }), text, values, types: parsers });
    return result.rows;
  } catch (error) {
    throw databaseError(error);
  }
}

/** Runs a statement and returns its first row, or null. */
export async function queryOne<Row>(
  session: Session,
  prepared: Statement<Row>,
  values: unknown[],
): Promise<Row | null> {
  const rows = await query(session, prepared, values);
  return rows[0] ?? null;
}

/** Database and entity manager of each open transaction, by its connection. */
const databases = new WeakMap<PoolClient, Database>();
const managers = new WeakMap<PoolClient, EntityManager>();

/**
 * The ORM inside a transaction: its entity manager reads and writes on the same connection as the statements.
 * @throws Error when the transaction has ended
 */
export function entityManager(session: Transaction): EntityManager {
  const known = managers.get(session);
  if (known !== undefined) return known;
  const database = databases.get(session);
  if (database === undefined) throw new Error('The transaction of this connection has ended.');
  const em = database.entityManagerOn(session);
  managers.set(session, em);
  return em;
}

/** Limit of attempts of a transaction that PostgreSQL aborts as a deadlock's victim; the other one has committed. */
const MAX_TRIES = 5;
const DEADLOCK = '40P01';

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. After a deadlock it is run
 * again, so it must have no effects outside the database.
 */
export async function transaction<T>(database: Database, work: (session: Transaction) => Promise<T>): Promise<T> {
  for (let left = MAX_TRIES - 1; ; left -= 1) {
    try {
      return await tryTransaction(database, work);
    } catch (error) {
      if (left === 0 || !(error instanceof Error && 'code' in error && error.code === DEADLOCK)) {
        throw databaseError(error);
      }
    }
  }
}

async function tryTransaction<T>(database: Database, work: (session: Transaction) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    databases.set(client, database);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    databases.delete(client);
    managers.delete(client);
    client.release(broken);
  }
}

/** Runs `work` in a savepoint: after an error in it, the rest of the transaction remains usable. */
export async function savepoint<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.query('savepoint attempt');
  try {
    const result = await work();
    await session.query('release savepoint attempt');
    return result;
  } catch (error) {
    await session.query('rollback to savepoint attempt');
    throw error;
  }
}

/**
 * A value as the text of a jsonb parameter. U+0000 and lone surrogates, which PostgreSQL rejects there and cut text or
 * documents may contain, become U+FFFD.
 */
export function jsonb(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.stringify escapes exactly these, so text without such an escape needs no replacement.
  if (!/\\u(0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'string' ? item.replaceAll('\0', '\uFFFD').toWellFormed() : item,
  );
}

/** A LIKE pattern that matches values which contain `text`; its wildcards are escaped. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
