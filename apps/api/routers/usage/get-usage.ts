import { z } from 'zod';
import { usageSchema } from '../../../../contract/resources.ts';
import { countOpenRuns, listHostFetches, readUsage } from '../../../../db/queries/users/usage.ts';
import { quotasByPlan } from '../../../../platform/quotas.ts';
import { procedure } from '../../trpc.ts';

/** Hosts in the response: those with the most fetches. */
const MAX_HOSTS = 10;

export const getUsage = procedure
  .meta({
    rest: { method: 'GET', path: '/usage' },
    summary: 'Get the quotas of the plan and their usage',
    description:
      'Above `sources` or `storedBytes`, creates, promotes, restores and upload grants are rejected with 403, and `details` names the quota; accepted work is still done. Above `openRuns` or `hostFetches`, work waits.',
  })
  .input(z.strictObject({}))
  .output(usageSchema)
  .query(async ({ ctx: { caller, config, database } }) => {
    const { userId, plan } = caller;
    const limits = quotasByPlan(config)[plan];
    const [{ sources, storedBytes }, openRuns, hosts] = await Promise.all([
      readUsage(database.pool, userId),
      countOpenRuns(database.pool, userId),
      listHostFetches(database.pool, userId, MAX_HOSTS),
    ]);
    return {
      plan,
      sources: { used: sources, limit: limits.sources },
      storedBytes: { used: storedBytes, limit: limits.storedBytes },
      openRuns: { used: openRuns, limit: limits.openRuns },
      hostFetches: { hosts: hosts.map(({ host, fetches }) => ({ host, used: fetches })), limit: limits.hostFetches },
    };
  });
