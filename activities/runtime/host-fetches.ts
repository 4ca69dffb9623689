/** Limits an owner's fetches per host and minute; further ones wait for the next minute. */
import { ApplicationFailure } from '@temporalio/common';
import { countHostFetch } from '../../db/host-fetches.ts';
import { quotasByPlan } from '../../platform/quotas.ts';
import type { Dependencies } from './dependencies.ts';
import { currentOwner } from './owner-concurrency.ts';
import { hostAskedOften } from './tries.ts';

/** Jitter after the end of the minute, so that the waiting fetches do not start at the same time. */
const JITTER_MS = 5_000;

/** The host name without a trailing dot, so that both spellings are one host. */
const hostOf = ({ hostname }: URL) => hostname.replace(/\.$/, '');

/**
 * Counts a fetch from the host of `url`.
 * @throws ApplicationFailure when the limit of this minute is reached; it retries the activity in the next minute
 */
export async function acquireHostFetch(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  url: URL,
): Promise<void> {
  const { free, pro } = quotasByPlan(config);
  const limits = { free: free.hostFetches, pro: pro.hostFetches };
  const waitMs = await countHostFetch(database.pool, currentOwner(), hostOf(url), limits);
  if (waitMs === 0) return;
  throw ApplicationFailure.create({
    type: hostAskedOften,
    message: 'The limit of fetches from this host per minute is reached.',
    nextRetryDelay: waitMs + Math.random() * JITTER_MS,
  });
}
