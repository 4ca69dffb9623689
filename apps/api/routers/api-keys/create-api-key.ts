import { z } from 'zod';
import { type CreatedApiKey, createdApiKeySchema } from '../../../../contract/resources.ts';
import { scopes } from '../../../../contract/statuses.ts';
import { createKey } from '../../../../db/transitions/users/create-key.ts';
import type { Caller } from '../../admission/caller.ts';
import { AppError, invalid } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toApiKeyResource } from './api-key-resource.ts';

/** Up to the year 9999, also in UTC: the last that ISO 8601 writes with four digits. */
const expiryField = z.iso
  .datetime({ offset: true, error: 'Must be an ISO 8601 time with its offset.' })
  .refine((time) => new Date(time).getTime() < Date.UTC(10_000, 0), { error: 'Must lie before the year 10000.' });

function asDate(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

function expiryProblem(expiresAt: Date | null, { keyExpiresAt }: Caller): string | null {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) return 'Must lie in the future.';
  const isLater = keyExpiresAt !== null && (expiresAt === null || expiresAt > keyExpiresAt);
  return isLater ? 'Must not be later than the expiry of the key that asks.' : null;
}

/** A new key, no wider and no longer-lived than the one that asks for it. */
export const createApiKey = procedure
  .meta({
    rest: { method: 'POST', path: '/api-keys', status: 201 },
    summary: 'Create an API key',
    description:
      'Neither wider nor longer-lived than the key that asks; a missing `scopes` or `expiresAt` is taken from that. `key` is shown in this answer and never again.',
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
        const wanted = [...new Set(input.scopes ?? caller.scopes)];
        // `write` opens everything.
        if (wanted.some((scope) => !caller.scopes.includes(scope)) && !caller.scopes.includes('write')) {
          throw new AppError('FORBIDDEN', 'A key cannot make one with more scopes than its own.');
        }
        const expiresAt = input.expiresAt === undefined ? caller.keyExpiresAt : asDate(input.expiresAt);
        const problem = expiryProblem(expiresAt, caller);
        if (problem !== null) throw invalid('expiresAt', problem);
        const { userId } = caller;
        return write(async (session): Promise<CreatedApiKey> => {
          const { key, ...stored } = await createKey(session, {
            userId,
            name: input.name,
            scopes: wanted,
            expiresAt,
          });
          return { ...toApiKeyResource(stored), key };
        });
      },
      { keep: (answer) => ({ ...answer, key: null }) },
    ),
  );
