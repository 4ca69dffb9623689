/** Response time-outs for connections to PostgreSQL, which would hang when its machine disappears. */
import type { Client, ClientConfig, Pool } from 'pg';

/** PostgreSQL ends a statement after this time. */
export const STATEMENT_TIMEOUT_MS = 20_000;
/** Longer than STATEMENT_TIMEOUT_MS, within which a live PostgreSQL responds, if only with an error. */
export const RESPONSE_TIMEOUT_MS = 25_000;

/** Options of every connection of the service. */
export const connectionOptions = {
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} satisfies ClientConfig;

/** The error by which the operating system reports a dead connection, only much later. */
function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

/**
 * Destroys the client's connection when a query gets no response within `ms` milliseconds: all of its queries fail
 * immediately, and so do later ones. The driver's own `query_timeout` fails only the query: the ORM would wait for the
 * response to a rollback and return the connection to the pool.
 */
export function limitResponseTime(client: Client, ms: number, onSilent: () => void = () => undefined): void {
  let pending = 0;
  let timer: NodeJS.Timeout | undefined;
  function count(queries: number): void {
    if (queries <= pending) {
      clearTimeout(timer);
      timer = undefined;
    }
    pending = queries;
    if (pending === 0) return;
    timer ??= setTimeout(() => {
      client.connection.stream.destroy(timedOut(`PostgreSQL did not respond within ${ms / 1_000} s.`));
      onSilent();
    }, ms);
    // The timer of a closed connection must not keep the process alive.
    timer.unref();
  }
  // Before the driver's own listener, which sends the next query.
  client.connection.prependListener('readyForQuery', () => count(Math.max(0, pending - 1)));
  // Also after a query that could not be sent, which gets no response.
  client.on('drain', () => count(0));
  client.on('end', () => count(0));
  client.query = new Proxy(client.query, {
    apply(query, self, args) {
      count(pending + 1);
      return Reflect.apply(query, self, args);
    },
  });
}

/**
 * Limits the response time, in milliseconds, of all connections of a pool. After a time-out, the idle connections are
 * closed too: they lead to the same machine, and each would delay another request by the same time.
 */
export function limitResponseTimes(pool: Pool, ms: number): void {
  const idle = new Set<Client>();
  pool.on('connect', (client) => {
    limitResponseTime(client, ms, () => {
      for (const other of idle) other.connection.stream.destroy(timedOut('Another connection of the pool timed out.'));
    });
  });
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('release', (_, client) => idle.add(client));
  pool.on('remove', (client) => idle.delete(client));
}
