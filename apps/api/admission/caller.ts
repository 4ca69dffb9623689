import type { Plan, Scope } from '../../../contract/statuses.ts';

/** The owner of a request's API key, and the key's scopes and expiry. */
export interface Caller {
  userId: string;
  plan: Plan;
  keyId: string;
  scopes: Scope[];
  keyExpiresAt: Date | null;
}
