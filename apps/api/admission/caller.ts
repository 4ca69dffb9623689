import type { Plan, Scope } from '../../../contract/statuses.ts';

/** Who calls, by the API key that was sent. */
export interface Caller {
  userId: string;
  plan: Plan;
  keyId: string;
  scopes: Scope[];
  keyExpiresAt: Date | null;
}
