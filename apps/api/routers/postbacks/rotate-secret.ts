import { z } from 'zod';
import { postbackSecretSchema } from '../../../../contract/resources.ts';
import { openPostbackSecret } from '../../../../db/transitions/postbacks/open-postback-secret.ts';
import { rotatePostbackSecret } from '../../../../db/transitions/postbacks/rotate-postback-secret.ts';
import { createSecrets } from '../../../../platform/secrets.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { type SecretResource, toSecretResource } from './secret-resource.ts';

export const rotateSecret = procedure
  .meta({
    rest: { method: 'POST', path: '/postback-secret/rotate' },
    summary: 'Rotate the secret that signs postbacks',
    description: 'For 24 h postbacks are signed with both secrets. A second rotation in that time drops the oldest.',
  })
  .input(z.strictObject({}))
  .output(postbackSecretSchema)
  .mutation(
    idempotent(
      async ({ ctx, write }) =>
        write(async (session) =>
          toSecretResource(await rotatePostbackSecret(session, createSecrets(ctx.config), ctx.caller.userId)),
        ),
      {
        toStored: (): SecretResource => ({ secret: '', previousSecret: null, previousExpiresAt: null }),
        // The current secrets: a later rotation may have replaced those of the first response.
        fromStored: async ({ ctx }) =>
          toSecretResource(await openPostbackSecret(ctx.database.pool, createSecrets(ctx.config), ctx.caller.userId)),
      },
    ),
  );
