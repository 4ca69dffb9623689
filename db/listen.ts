/** A connection that receives notifications; it reconnects after an error or a response time-out. */
import { Client } from 'pg';
import type { Logger } from '../platform/logger.ts';
import { connectionOptions, limitResponseTime } from './response-timeouts.ts';

const RECONNECT_MS = 1_000;
/** Interval of a health query: a connection that only listens never notices that the server is gone. */
const CHECK_MS = 5_000;
const RESPONSE_TIMEOUT_MS = 5_000;

export interface Listener {
  close(): Promise<void>;
}

/**
 * Calls `onNotify` with the payload of each notification on `channel`, and with an empty payload after every connect,
 * since notifications sent before are lost.
 */
export function listen(url: string, channel: string, logger: Logger, onNotify: (payload: string) => void): Listener {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const reconnectLater = () => {
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, RECONNECT_MS);
  };

  async function connect(): Promise<void> {
    const next = new Client({
      ...connectionOptions,
      connectionString: url,
      application_name: 'context-workspace-listen',
    });
    client = next;
    limitResponseTime(next, RESPONSE_TIMEOUT_MS);
    let check: NodeJS.Timeout | undefined;
    next.on('notification', ({ payload }) => onNotify(payload ?? ''));
    next.on('error', (error) => logger.warn({ event: 'listen.error', channel, message: error.message }));
    next.on('end', () => {
      clearInterval(check);
      reconnectLater();
    });
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
      check = setInterval(() => void next.query('select 1').catch(() => undefined), CHECK_MS);
      onNotify('');
    } catch (error) {
      logger.warn({
        event: 'listen.unavailable',
        channel,
        message: error instanceof Error ? error.message : String(error),
      });
      next.connection.stream.destroy();
      reconnectLater();
    }
  }

  const connected = connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await connected;
      // Not `end`, which waits for the server.
      client?.connection.stream.destroy();
    },
  };
}
