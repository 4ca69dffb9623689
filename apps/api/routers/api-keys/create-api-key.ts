import { z } from 'zod';
import { type CreatedApiKey, createdApiKeySchema } from '../../../../contract/resources.ts';
import { scopes } from '../../../../contract/statuses.ts';
import { entityManager } from '../../../../db/sql.ts';
import { createKey } from '../../../../db/transitions/users/create-key.ts';
import type { Caller } from '../../admission/caller.ts';
import { AppError, invalid } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toApiKeyResource } from './api-key-resource.ts';

/** Before the year 10000, also in UTC: a year of ISO 8601 has four digits. */
const expiryField = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 time with its offset.' })
  .refine((time) => new Date(time).getTime() < Date.UTC(10_000, 0), { error: 'Must be before the year 10000.' });

function asDate(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function expiryProblem(expiresAt: Date | null, { keyExpiresAt }: Caller): string | null {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) return 'Must be in the future.';
  const isLater = keyExpiresAt !== null && (expiresAt === null || expiresAt > keyExpiresAt);
  return isLater ? 'Must not be later than the expiry of the calling key.' : null;
}

/** Creates a key with at most the scopes and the lifetime of the calling key. */
export const createApiKey = procedure
  .meta({
    rest: { method: 'POST', path: '/api-keys', status: 201 },
    summary: 'Create an API key',
    description:
      'The new key has at most the scopes and the lifetime of the calling key; `scopes` and `expiresAt` default to those. `key` is shown in this response only.',
    alsoWrong: (input, { caller }) => {
      const { data } = z.object({ expiresAt: expiryField.nullable() }).safeParse(input);
      const message = data && caller && expiryProblem(asDate(data.expiresAt), caller);
      return message ? [{ field: 'expiresAt', message }] : [];
    },
    example: { name: 'Build server', scopes: ['read'], expiresAt: '2099-12-31T23:59:59.000Z' },
  })
  .input(
    z.strictObject({
      name: nameField,
      expiresAt: expiryField.nullable().optional(),
      scopes: z.array(z.enum(scopes)).min(1).optional(),
    }),
  )
  .output(createdApiKeySchema)
  .mutation(
    idempotent(
      async ({ ctx, input, write }) => {
        const { caller } = ctx;
        const requestedScopes = [...new Set(input.scopes ?? caller.scopes)];
        // `write` includes every other scope.
        if (requestedScopes.some((scope) => !caller.scopes.includes(scope)) && !caller.scopes.includes('write')) {
          throw new AppError('FORBIDDEN', 'A key cannot create a key with more scopes than its own.');
        }
        const expiresAt = input.expiresAt === undefined ? caller.keyExpiresAt : asDate(input.expiresAt);
        const problem = expiryProblem(expiresAt, caller);
        if (problem !== null) throw invalid('expiresAt', problem);
        const { userId } = caller;
        return write(async (session): Promise<CreatedApiKey> => {
          const { key, ...stored } = await createKey(entityManager(session), {
            userId,
            name: input.name,
            scopes: requestedScopes,
            expiresAt,
          });
          return { ...toApiKeyResource(stored), key };
        });
      },
      { toStored: (result) => ({ ...result, key: null }) },
    ),
  );
