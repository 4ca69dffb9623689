/** Connections to PostgreSQL that do not hang when its machine disappears without closing them. */
import type { Client, ClientConfig, Pool } from 'pg';

/** PostgreSQL ends a statement after this time. */
export const STATEMENT_TIMEOUT_MS = 20_000;
/** Longer than STATEMENT_TIMEOUT_MS: PostgreSQL answers within that, if only with an error, or it is gone. */
export const ANSWER_TIMEOUT_MS = 25_000;

/** For every connection of the service. */
export const connectionOptions = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} satisfies ClientConfig;

/** As the operating system reports a dead connection, only much later. */
function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

/**
 * Destroys the client's connection when a query is not answered within `ms`: then all of its queries fail at once, and
 * so does whatever is sent over it afterwards. The driver's own `query_timeout` fails the query alone: the ORM would
 * wait for the answer to a rollback and give the connection back to the pool.
 */
export function limitAnswerTime(client: Client, ms: number, onSilent: () => void = () => undefined): void {
  let unanswered = 0;
  let timer: NodeJS.Timeout | undefined;
  function count(queries: number): void {
    if (queries <= unanswered) {
      clearTimeout(timer);
      timer = undefined;
    }
    unanswered = queries;
    if (unanswered === 0) return;
    timer ??= setTimeout(() => {
      client.connection.stream.destroy(timedOut(`PostgreSQL did not answer within ${ms / 1_000} s.`));
      onSilent();
    }, ms);
    // A connection that is closed keeps no process alive.
    timer.unref();
  }
  // Before the driver's own listener, which sends the next query.
  client.connection.prependListener('readyForQuery', () => count(Math.max(0, unanswered - 1)));
  // Also after a query that could not be sent, which has no answer.
  client.on('drain', () => count(0));
  client.on('end', () => count(0));
  client.query = new Proxy(client.query, {
    apply(query, self, args) {
      count(unanswered + 1);
      return Reflect.apply(query, self, args);
    },
  });
}

/**
 * Limits the answers of all connections of a pool. When one is silent, the idle ones are closed too: they lead to the
 * same machine, and each would cost somebody the same time.
 */
export function limitAnswerTimes(pool: Pool, ms: number): void {
  const idle = new Set<Client>();
  pool.on('connect', (client) => {
    limitAnswerTime(client, ms, () => {
      for (const other of idle) other.connection.stream.destroy(timedOut('Another connection of the pool is silent.'));
    });
  });
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
}
