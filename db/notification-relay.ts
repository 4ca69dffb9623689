/**
 * Notifications after the commit. PostgreSQL serializes the commits of transactions that have called pg_notify, across
 * all databases of the server. So triggers do not call it: they raise a notice to their own connection, and the process
 * sends the notifications once the connection is back in the pool, as a batch in one short transaction.
 *
 * Listeners of this process (`onRaised`) are called directly, without waiting for PostgreSQL.
 *
 * A notification may get lost with the process or its connection, and may be sent for a change that was rolled back. So
 * receivers read the database on each one, and also poll at intervals.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import type { Logger } from '../platform/logger.ts';
import { connectionOptions, limitResponseTimes } from './response-timeouts.ts';

/** SQLSTATE of the triggers' notices: the message is the channel, the detail is the payload. */
const NOTIFICATION = 'ZN001';
/** Limit of payloads of a channel in one batch; more are replaced by one empty payload, which means any change. */
const MAX_PAYLOADS = 1_000;
const RESPONSE_TIMEOUT_MS = 5_000;
/** Pause between two batches: too short to be noticed, and a busy process sends far fewer transactions. */
const PAUSE_MS = 10;

/** Unordered notifications without duplicates. */
class Notifications {
  readonly #payloads = new Map<string, Set<string>>();

  get isEmpty(): boolean {
    return this.#payloads.size === 0;
  }

  get channels(): string[] {
    return [...this.#payloads.keys()];
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

  /** Parallel arrays of channels and payloads. */
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
  /**
   * Calls `listener` after each transaction of this process that raised notifications on `channel`. They are sent to
   * all receivers with `origin` as their payload, so that this process can ignore them.
   */
  onRaised(channel: string, listener: () => void): void;
  /** Identifies this process. */
  readonly origin: string;
  /** Sends the pending notifications, or gives up after RESPONSE_TIMEOUT_MS, and closes the connection. */
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
    // Other notifying transactions wait for this commit, so it does not wait for the disk.
    options: '-c synchronous_commit=off',
  });
  limitResponseTimes(sender, RESPONSE_TIMEOUT_MS);
  sender.on('error', (error) => logger?.warn({ event: 'notify.connection_lost', message: error.message }));

  const origin = randomUUID();
  const listeners = new Map<string, () => void>();
  let pending = new Notifications();
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    while (!pending.isEmpty) {
      const batch = pending;
      pending = new Notifications();
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
      notifications.add(message, listeners.has(message) ? origin : detail);
    });
  });
  // Connections are released after their transaction has ended.
  pool.on('release', (_, client) => {
    const notifications = raised.get(client);
    if (notifications === undefined) return;
    raised.delete(client);
    notifications.addTo(pending);
    sending ??= send();
    for (const channel of notifications.channels) listeners.get(channel)?.();
  });

  return {
    origin,
    onRaised(channel, listener) {
      listeners.set(channel, listener);
    },
    async close() {
      await sending;
      await sender.end();
    },
  };
}
