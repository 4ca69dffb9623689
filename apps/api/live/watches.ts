/** All waits and event streams that this process holds open: so many for an owner, none longer than its key lives. */
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

/** setTimeout counts no further; a later expiry is found by looking at the keys now and then. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface Watches {
  /**
   * Opens a watch over these topics, until `signal` says that the client is gone. End it when it is not needed.
   * @throws AppError 429 when the owner has as many open as the plan allows.
   */
  open(caller: Caller, topics: Topic[], signal: AbortSignal | undefined): Watch;
  /** Ends all, and each that is opened from now on at once. */
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
  const most: Record<Plan, number> = { free: config.OPEN_WAITS_FREE, pro: config.OPEN_WAITS_PRO };
  const ofOwner = new Map<string, Set<Watch>>();
  let closed = false;

  const all = () => [...ofOwner.values()].flatMap((watches) => [...watches]);

  /** Whose keys a change may have ended. */
  function concernedBy(change: Change): Watch[] {
    if (change.kind === 'key') return all().filter(({ keyId }) => keyId === change.id);
    if (change.kind === 'user') return [...(ofOwner.get(change.id) ?? [])];
    return change.kind === 'anything' ? all() : [];
  }

  async function endWithoutKey(watches: Watch[]): Promise<void> {
    if (watches.length === 0) return;
    const usable = await usableKeys(database.pool, [...new Set(watches.map(({ keyId }) => keyId))]);
    for (const watch of watches) if (!usable.has(watch.keyId)) watch.end('key');
  }

  const unfollowKeys = changes.follow(['key', 'user'], (change) => {
    endWithoutKey(concernedBy(change)).catch((error: unknown) =>
      // The next look is a few seconds away.
      logger.warn({ event: 'watches.keys_unknown', err: error }),
    );
  });

  function placeOf({ userId, plan }: Caller): Set<Watch> {
    const open = ofOwner.get(userId) ?? new Set<Watch>();
    if (open.size >= most[plan]) {
      metrics.requestsRefused.inc({ kind: 'open_waits' });
      const message = `The plan ${plan} allows ${most[plan]} open waits and event streams. End one, or try again later.`;
      throw new AppError('TOO_MANY_REQUESTS', message, { headers: { 'retry-after': '5' } });
    }
    ofOwner.set(userId, open);
    return open;
  }

  return {
    open(caller, topics, signal) {
      const { userId, keyExpiresAt } = caller;
      const places = placeOf(caller);
      let expiry: NodeJS.Timeout | undefined;
      const gone = () => watch.end('client');
      const watch = new Watch(caller, () => {
        places.delete(watch);
        if (places.size === 0 && ofOwner.get(userId) === places) ofOwner.delete(userId);
        unfollow();
        clearTimeout(expiry);
        signal?.removeEventListener('abort', gone);
      });
      const unfollow = changes.follow(topics, (change) => watch.hear(change));
      places.add(watch);
      signal?.addEventListener('abort', gone, { once: true });
      const livesMs = keyExpiresAt === null ? Number.POSITIVE_INFINITY : keyExpiresAt.getTime() - Date.now();
      if (livesMs <= MAX_TIMEOUT_MS) expiry = setTimeout(() => watch.end('key'), livesMs);
      if (signal?.aborted) watch.end('client');
      if (closed) watch.end('closing');
      return watch;
    },
    close() {
      closed = true;
      unfollowKeys();
      for (const watch of all()) watch.end('closing');
    },
  };
}
