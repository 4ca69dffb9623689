import type { Client } from '@temporalio/client';
import type { Database } from '../../../db/orm.ts';
import type { Storage } from '../../../platform/storage.ts';
import { checkTemporal } from '../../../platform/temporal.ts';

const CHECK_MS = 2_000;

export interface Health {
  status: 'ok' | 'degraded' | 'down';
  checks: Record<'database' | 'temporal' | 'storage', 'ok' | 'down'>;
}

/** Has all who ask at once share one look: everybody may ask, and each look asks three servers. */
export function lookAtHealth(check: () => Promise<Health>): () => Promise<Health> {
  let look: Promise<Health> | undefined;
  return () => {
    look ??= check().finally(() => {
      look = undefined;
    });
    return look;
  };
}

/**
 * Whether each part answers the service within 2 s: one that refuses it is down. Without the database the service is down;
 * without Temporal or storage it still accepts and keeps what it can.
 */
export async function checkHealth(database: Database, temporal: Client, storage: Storage): Promise<Health> {
  const [databaseState, temporalState, storageState] = await Promise.all([
    answers(() => database.pool.query('select 1')),
    answers(() => checkTemporal(temporal, CHECK_MS)),
    answers(() => storage.check()),
  ]);
  const checks = { database: databaseState, temporal: temporalState, storage: storageState };
  const status =
    databaseState === 'down' ? 'down' : temporalState === 'down' || storageState === 'down' ? 'degraded' : 'ok';
  return { status, checks };
}

async function answers(check: () => Promise<unknown>): Promise<'ok' | 'down'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), CHECK_MS);
  });
  try {
    await Promise.race([check(), late]);
    return 'ok';
  } catch {
    return 'down';
  } finally {
    clearTimeout(timer);
  }
}
