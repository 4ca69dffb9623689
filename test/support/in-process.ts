/** Calls API procedures without HTTP, so that a test controls their database and their change notifications. */
import { randomUUID } from 'node:crypto';
import { createReadMemory } from '../../apps/api/admission/read-memory.ts';
import type { RequestContext } from '../../apps/api/context.ts';
import { Watch } from '../../apps/api/live/watch.ts';
import { appRouter } from '../../apps/api/routers/index.ts';
import { createWrites } from '../../apps/api/write.ts';
import type { Change } from '../../db/changes.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { parseConfig } from '../../platform/config.ts';
import { createEgress } from '../../platform/egress.ts';
import { createLogger } from '../../platform/logger.ts';
import { createStorage, storageOptions } from '../../platform/storage.ts';
import { stack } from './stack.ts';

export interface InProcess {
  api: ReturnType<typeof appRouter.createCaller>;
  database: Database;
  /** Notifies all open watches; nothing else does. */
  wake(change: Change): void;
  /** Returns whether any wait or stream is open. */
  watching(): boolean;
  close(): Promise<void>;
}

/** Opens a database and returns a caller of the API's procedures as this user. Only `wake` notifies watches. */
export async function callInProcess(
  userId: string,
  { databaseUrl = stack().settings.DATABASE_URL ?? '', poolMax = 1 } = {},
): Promise<InProcess> {
  const config = parseConfig({ ...stack().settings, DATABASE_URL: databaseUrl });
  const database = await openDatabase(databaseUrl, poolMax);
  const storage = createStorage(storageOptions(config));
  const egress = createEgress({ allow: [] });
  const open = new Set<Watch>();
  const ctx: RequestContext = {
    config,
    database,
    storage,
    egress,
    logger: createLogger('test', 'silent'),
    watches: {
      open(caller) {
        const watch = new Watch(caller, () => open.delete(watch));
        open.add(watch);
        return watch;
      },
      close() {},
    },
    readMemory: createReadMemory(),
    writes: createWrites(config),
    streams: false,
    closed: new AbortController().signal,
    mayWait: true,
    misplaced: [],
    inputs: new Map(),
    requestId: randomUUID(),
    caller: { userId, plan: 'pro', keyId: randomUUID(), scopes: ['write'], keyExpiresAt: null },
    idempotencyKey: null,
    reply: { headers: {} },
  };
  return {
    api: appRouter.createCaller(ctx),
    database,
    wake(change) {
      for (const watch of open) watch.notify(change);
    },
    watching: () => open.size > 0,
    async close() {
      await Promise.all([database.close(), egress.close()]);
      storage.close();
    },
  };
}
