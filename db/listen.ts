/** One connection that receives notifications, made again whenever it breaks or falls silent. */
import { Client } from 'pg';
import type { Logger } from '../platform/logger.ts';
import { connectionOptions, limitAnswerTime } from './answer-limit.ts';

const RECONNECT_MS = 1_000;
/** Interval of the question whether the server is still there, which a connection that only listens never notices. */
const CHECK_MS = 5_000;
const ANSWER_TIMEOUT_MS = 5_000;

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
      ...connectionOptions,
      connectionString: url,
      application_name: 'context-workspace-listen',
    });
    client = next;
    limitAnswerTime(next, ANSWER_TIMEOUT_MS);
    let check: NodeJS.Timeout | undefined;
    next.on('notification', ({ payload }) => onNotify(payload ?? ''));
    next.on('error', (error) => logger.warn({ event: 'listen.error', channel, message: error.message }));
    next.on('end', () => {
      clearInterval(check);
      again();
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
      again();
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
