import type { Client } from '@temporalio/client';
import type { Database } from '../../../db/orm.ts';
import type { Storage } from '../../../platform/storage.ts';
import { checkTemporal } from '../../../platform/temporal.ts';

const CHECK_TIMEOUT_MS = 2_000;

export interface Health {
  status: 'ok' | 'degraded' | 'down';
  checks: Record<'database' | 'temporal' | 'storage', 'ok' | 'down'>;
}

/** Shares one check among concurrent requests: /health is public, and each check queries three servers. */
export function coalesceChecks(check: () => Promise<Health>): () => Promise<Health> {
  let running: Promise<Health> | undefined;
  return () => {
    running ??= check().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * Whether each dependency responds within 2 s; one that rejects the service is down. Without the database the service
 * is down; without Temporal or storage it is degraded, and still accepts and stores what it can.
 */
export async function checkHealth(database: Database, temporal: Client, storage: Storage): Promise<Health> {
  const [databaseState, temporalState, storageState] = await Promise.all([
    stateOf(() => database.pool.query('select 1')),
    stateOf(() => checkTemporal(temporal, CHECK_TIMEOUT_MS)),
    stateOf(() => storage.check()),
  ]);
  const checks = { database: databaseState, temporal: temporalState, storage: storageState };
  const status =
    databaseState === 'down' ? 'down' : temporalState === 'down' || storageState === 'down' ? 'degraded' : 'ok';
  return { status, checks };
}

async function stateOf(check: () => Promise<unknown>): Promise<'ok' | 'down'> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check(), timeout]);
    return 'ok';
  } catch {
    return 'down';
  } finally {
    clearTimeout(timer);
  }
}
