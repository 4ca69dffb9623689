/**
 * Notifications after the commit. PostgreSQL lets one transaction at a time commit that has called pg_notify, in all
 * databases of the server. So triggers do not call it: they raise a notice to their own connection, and the process
 * sends what was raised once the connection is back in the pool, all together in one short transaction.
 *
 * A notification may get lost with the process or its connection, and one may come of what was rolled back: it is only
 * a reason to look, and whoever waits for one also looks at intervals.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import type { Logger } from '../platform/logger.ts';
import { connectionOptions, limitAnswerTimes } from './answer-limit.ts';

/** SQLSTATE of the triggers' notices: the message is the channel, the detail is the payload. */
const NOTIFICATION = 'ZN001';
/** Payloads of a channel that wait together; more are sent as one empty payload, which stands for any. */
const MAX_PAYLOADS = 1_000;
const ANSWER_TIMEOUT_MS = 5_000;
/** Between two batches: whoever waits notices nothing of it, and a busy process sends a fraction of them. */
const PAUSE_MS = 10;

/** Without duplicates, and without an order. */
class Notifications {
  readonly #payloads = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.#payloads.size === 0;
  }

  add(channel: string, payload: string): void {
    const payloads = this.#payloads.get(channel) ?? new Set();
    if (payloads.size < MAX_PAYLOADS) this.#payloads.set(channel, payloads.add(payload));
    else this.#payloads.set(channel, new Set(['']));
  }

  /** Adds all of these to `others`. */
  addTo(others: Notifications): void {
    for (const [channel, payload] of this.#pairs()) others.add(channel, payload);
  }

  /** The arrays of channels and payloads, of one length. */
  columns(): [string[], string[]] {
    const pairs = this.#pairs();
    return [pairs.map(([channel]) => channel), pairs.map(([, payload]) => payload)];
  }

  #pairs(): [string, string][] {
    return [...this.#payloads].flatMap(([channel, payloads]) =>
      [...payloads].map((payload): [string, string] => [channel, payload]),
    );
  }
}

export interface NotificationRelay {
  /** Sends what was raised so far, or gives it up within seconds, and closes the connection. */
  close(): Promise<void>;
}

/** Sends the notifications that triggers raise on connections of `pool`, over one connection to `url`. */
export function relayNotifications(pool: Pool, url: string, logger?: Logger): NotificationRelay {
  const raised = new WeakMap<PoolClient, Notifications>();
  const sender = new Pool({
    ...connectionOptions,
    connectionString: url,
    application_name: 'context-workspace-notify',
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
    // The commit, for which other notifying transactions wait, need not wait for the disk.
    options: '-c synchronous_commit=off',
  });
  limitAnswerTimes(sender, ANSWER_TIMEOUT_MS);
  sender.on('error', (error) => logger?.warn({ event: 'notify.connection_lost', message: error.message }));

  let waiting = new Notifications();
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (!waiting.isEmpty) {
      const batch = waiting;
      waiting = new Notifications();
      await sender
        .query({
          name: 'notify',
          text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as n (channel, payload)',
          values: batch.columns(),
        })
        .catch((error: Error) => logger?.warn({ event: 'notify.failed', message: error.message }));
      await delay(PAUSE_MS);
    }
    sending = undefined;
  }

  pool.on('connect', (client) => {
    client.on('notice', ({ code, message = '', detail = '' }) => {
      if (code !== NOTIFICATION) return;
      const notifications = raised.get(client) ?? new Notifications();
      raised.set(client, notifications);
      notifications.add(message, detail);
    });
  });
  // Connections come back when their transaction has ended.
  pool.on('release', (_, client) => {
    raised.get(client)?.addTo(waiting);
    if (raised.delete(client)) sending ??= send();
  });

  return {
    async close() {
      await sending;
      await sender.end();
    },
  };
}
