/** One connection that hears NOTIFY, made again whenever it breaks. */
import { Client } from 'pg';
import type { Logger } from '../platform/logger.ts';

const RECONNECT_MS = 1_000;

export interface Listener {
  close(): Promise<void>;
}

/**
 * Calls `onNotify` for each notification on `channel`, and once after every connection, since what was said while
 * nobody listened is lost.
 */
export function listen(url: string, channel: string, logger: Logger, onNotify: (payload: string) => void): Listener {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const again = () => {
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, RECONNECT_MS);
  };

  async function connect(): Promise<void> {
    const next = new Client({
      connectionString: url,
      application_name: 'context-workspace-listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    });
    client = next;
    next.on('notification', ({ payload }) => onNotify(payload ?? ''));
    next.on('error', (error) => logger.warn({ event: 'listen.error', channel, message: error.message }));
    next.on('end', again);
    try {
      await next.connect();
      await next.query(`listen ${next.escapeIdentifier(channel)}`);
      onNotify('');
    } catch (error) {
      logger.warn({
        event: 'listen.unavailable',
        channel,
        message: error instanceof Error ? error.message : String(error),
      });
      await next.end().catch(() => undefined);
      again();
    }
  }

  const connected = connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await connected;
      await client?.end().catch(() => undefined);
    },
  };
}
