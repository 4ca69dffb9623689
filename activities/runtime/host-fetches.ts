/** An owner's runs ask one host so often in a minute and no more: what is more waits. */
import { ApplicationFailure } from '@temporalio/common';
import { countFetch } from '../../db/host-fetches.ts';
import { quotasByPlan } from '../../platform/quotas.ts';
import type { Dependencies } from './dependencies.ts';
import { currentOwner } from './owner-concurrency.ts';
import { hostAskedOften } from './tries.ts';

/** What waited for a minute to end does not come back all at once. */
const SPREAD_MS = 5_000;

/** One name of a host that has two: with the dot at its end, and without. */
const hostOf = ({ hostname }: URL) => hostname.replace(/\.$/, '');

/** Counts a fetch at the host of `url`. @throws ApplicationFailure that has the activity come again in the next minute */
export async function takeFetch(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  url: URL,
): Promise<void> {
  const { free, pro } = quotasByPlan(config);
  const most = { free: free.hostFetches, pro: pro.hostFetches };
  const waitMs = await countFetch(database.pool, currentOwner(), hostOf(url), most);
  if (waitMs === 0) return;
  throw ApplicationFailure.create({
    type: hostAskedOften,
    message: 'The host was asked as often as may be in this minute.',
    nextRetryDelay: waitMs + Math.random() * SPREAD_MS,
  });
}
