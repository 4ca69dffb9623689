/** Named, prepared statements on the ORM's pool: for hot paths and for writes that are fenced in SQL. */
import { type Pool, type PoolClient, types } from 'pg';
import { databaseError } from '../platform/database-errors.ts';
import type { Database } from './orm.ts';

/** Something that runs a statement: the pool, or one connection inside a transaction. */
export type Session = Pool | PoolClient;

/** A statement and the shape of its rows. The name is unique: PostgreSQL keeps the plan by it on each connection. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Planned anew each time, by its values: for conditions that many rows meet with one value and few with another. */
  readonly plannedByValues?: boolean;
  readonly row?: Row;
}

const declared = new Map<string, Statement<unknown>>();

/** Declares a statement; `Row` is what its columns hold (timestamps are Dates, bigints numbers). */
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

/** Every statement of the modules that are loaded, for a test that has PostgreSQL prepare them all. */
export function declaredStatements(): Statement<unknown>[] {
  return [...declared.values()];
}

const INT8 = 20;
/** The ORM's pool leaves timestamps as text for its own mapping; statements of ours want Dates and numbers. */
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

/** So often a transaction is done that PostgreSQL broke off to end a deadlock: one of the two went through. */
const MAX_TRIES = 5;
const DEADLOCK = '40P01';

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. After a deadlock it is run
 * again, so it should change nothing but the database.
 */
export async function transaction<T>(database: Database, work: (session: Session) => Promise<T>): Promise<T> {
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

async function tryTransaction<T>(database: Database, work: (session: Session) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Runs `work` inside a transaction so that a statement refused in it leaves the rest of the transaction usable. */
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
 * A value as the text of a jsonb parameter. PostgreSQL refuses U+0000 and lone surrogates there, which text that was
 * cut or found in documents may hold: they become U+FFFD.
 */
export function jsonb(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.stringify escapes just these, so a text without such an escape is fine as it is.
  if (!/\\u(0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'string' ? item.replaceAll('\0', '\uFFFD').toWellFormed() : item,
  );
}

/** A LIKE pattern for what holds these very words anywhere: none of their characters is a wildcard. */
export function containing(words: string): string {
  return `%${words.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
