import type { z } from 'zod';
import type { postbackDeliverySchema } from '../../../../contract/resources.ts';
import type { DeliveryRow } from '../../../../db/queries/postbacks/list-postbacks.ts';

/** A postback's row with its attempts as responses show it. */
export function toPostbackResource(row: DeliveryRow): z.infer<typeof postbackDeliverySchema> {
  return {
    ...row,
    nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
  };
}
