import { z } from 'zod';
import { postbackSecretSchema } from '../../../../contract/resources.ts';
import { User } from '../../../../db/entities/user.ts';
import { procedure } from '../../trpc.ts';

/** The secret that signs the owner's postbacks; a key that may only read does not see it. */
export const getPostbackSecret = procedure
  .meta({
    rest: { method: 'GET', path: '/postback-secret' },
    summary: 'Get the secret that signs postbacks',
    scope: 'write',
  })
  .input(z.strictObject({}))
  .output(postbackSecretSchema)
  .query(async ({ ctx }) => {
    const user = await ctx.database.orm.em.fork().findOneOrFail(User, { id: ctx.caller.userId });
    const expiresAt = user.previousPostbackSecretExpiresAt ?? null;
    const previous = expiresAt !== null && expiresAt.getTime() > Date.now();
    return {
      secret: user.postbackSecret,
      previousSecret: previous ? (user.previousPostbackSecret ?? null) : null,
      previousExpiresAt: previous ? expiresAt.toISOString() : null,
    };
  });
