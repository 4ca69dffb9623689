/** The open long polls and event streams of this process: limited per owner, ended when their key becomes invalid. */
import type { Plan } from '../../../contract/statuses.ts';
import type { Change } from '../../../db/changes.ts';
import type { Database } from '../../../db/orm.ts';
import { usableKeys } from '../../../db/queries/users/find-key.ts';
import type { Config } from '../../../platform/config.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Metrics } from '../../../platform/metrics.ts';
import type { Caller } from '../admission/caller.ts';
import { AppError } from '../errors.ts';
import type { Changes, Topic } from './changes.ts';
import { Watch } from './watch.ts';

/** Maximum of setTimeout; a later expiry is found by the recheck of keys every few seconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface Watches {
  /**
   * Opens a watch of these topics, which ends when `signal` is aborted (client gone). The caller must end it.
   * @throws AppError 429 when the owner has as many open as the plan allows
   */
  open(caller: Caller, topics: Topic[], signal: AbortSignal | undefined): Watch;
  /** Ends all watches; one that is opened afterwards ends immediately. */
  close(): void;
}

interface WatchesDependencies {
  config: Config;
  database: Database;
  logger: Logger;
  metrics: Metrics;
  changes: Changes;
}

export function createWatches({ config, database, logger, metrics, changes }: WatchesDependencies): Watches {
  const limits: Record<Plan, number> = { free: config.OPEN_WAITS_FREE, pro: config.OPEN_WAITS_PRO };
  const byOwner = new Map<string, Set<Watch>>();
  let closed = false;

  const all = () => [...byOwner.values()].flatMap((watches) => [...watches]);

  /** The watches whose key a change may have made invalid. */
  function affectedBy(change: Change): Watch[] {
    if (change.kind === 'key') return all().filter(({ keyId }) => keyId === change.id);
    if (change.kind === 'user') return [...(byOwner.get(change.id) ?? [])];
    return change.kind === 'anything' ? all() : [];
  }

  async function endInvalid(watches: Watch[]): Promise<void> {
    if (watches.length === 0) return;
    const usable = await usableKeys(database.pool, [...new Set(watches.map(({ keyId }) => keyId))]);
    for (const watch of watches) if (!usable.has(watch.keyId)) watch.end('key');
  }

  const unsubscribeKeys = changes.subscribe(['key', 'user'], (change) => {
    endInvalid(affectedBy(change)).catch((error: unknown) =>
      // The keys are checked again within 5 s (RECHECK_MS).
      logger.warn({ event: 'watches.keys_unknown', err: error }),
    );
  });

  /** The owner's open watches. @throws AppError 429 when there are as many as the plan allows */
  function watchesOf({ userId, plan }: Caller): Set<Watch> {
    const open = byOwner.get(userId) ?? new Set<Watch>();
    if (open.size >= limits[plan]) {
      metrics.requestsRefused.inc({ kind: 'open_waits' });
      const allowed = `The plan ${plan} allows ${limits[plan]} open long polls and event streams.`;
      const message = `${allowed} Close one, or try again later.`;
      throw new AppError('TOO_MANY_REQUESTS', message, { headers: { 'retry-after': '5' } });
    }
    byOwner.set(userId, open);
    return open;
  }

  return {
    open(caller, topics, signal) {
      const { userId, keyExpiresAt } = caller;
      const ownerWatches = watchesOf(caller);
      let expiry: NodeJS.Timeout | undefined;
      const disconnected = () => watch.end('client');
      const watch = new Watch(caller, () => {
        ownerWatches.delete(watch);
        if (ownerWatches.size === 0 && byOwner.get(userId) === ownerWatches) byOwner.delete(userId);
        unsubscribe();
        clearTimeout(expiry);
        signal?.removeEventListener('abort', disconnected);
      });
      const unsubscribe = changes.subscribe(topics, (change) => watch.notify(change));
      ownerWatches.add(watch);
      signal?.addEventListener('abort', disconnected, { once: true });
      const expiresInMs = keyExpiresAt === null ? Number.POSITIVE_INFINITY : keyExpiresAt.getTime() - Date.now();
      if (expiresInMs <= MAX_TIMEOUT_MS) expiry = setTimeout(() => watch.end('key'), expiresInMs);
      if (signal?.aborted) watch.end('client');
      if (closed) watch.end('closing');
      return watch;
    },
    close() {
      closed = true;
      unsubscribeKeys();
      for (const watch of all()) watch.end('closing');
    },
  };
}
