import type { Plan } from '../contract/statuses.ts';
import type { Config } from './config.ts';

/** Limits of an owner. Requests beyond the first two are rejected; work beyond the others waits. */
export interface Quotas {
  sources: number;
  storedBytes: number;
  openRuns: number;
  /** Fetches per minute and host. */
  hostFetches: number;
}

/** Returns the quotas of each plan from the settings. */
export function quotasByPlan(config: Config): Readonly<Record<Plan, Quotas>> {
  return {
    free: {
      sources: config.QUOTA_SOURCES_FREE,
      storedBytes: config.QUOTA_STORED_BYTES_FREE,
      openRuns: config.QUOTA_OPEN_RUNS_FREE,
      hostFetches: config.QUOTA_HOST_FETCHES_FREE,
    },
    pro: {
      sources: config.QUOTA_SOURCES_PRO,
      storedBytes: config.QUOTA_STORED_BYTES_PRO,
      openRuns: config.QUOTA_OPEN_RUNS_PRO,
      hostFetches: config.QUOTA_HOST_FETCHES_PRO,
    },
  };
}
