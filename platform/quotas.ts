import type { Plan } from '../contract/statuses.ts';
import type { Config } from './config.ts';

/** What an owner may use. Beyond the first two, requests for more are refused; beyond the others, work waits. */
export interface Quotas {
  sources: number;
  storedBytes: number;
  openRuns: number;
  /** In a minute, at each host. */
  hostFetches: number;
}

/** The quotas of each plan, by the settings. */
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
