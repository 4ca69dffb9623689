import { z } from 'zod';
import { postbackSecretSchema } from '../../../../contract/resources.ts';
import { openPostbackSecret } from '../../../../db/transitions/postbacks/open-postback-secret.ts';
import { createSecrets } from '../../../../platform/secrets.ts';
import { procedure } from '../../trpc.ts';
import { toSecretResource } from './secret-resource.ts';

/** The secret that signs the owner's postbacks; reading it requires the scope `write`. */
export const getPostbackSecret = procedure
  .meta({
    rest: { method: 'GET', path: '/postback-secret' },
    summary: 'Get the secret that signs postbacks',
    scope: 'write',
  })
  .input(z.strictObject({}))
  .output(postbackSecretSchema)
  .query(async ({ ctx }) => {
    const secrets = createSecrets(ctx.config);
    return toSecretResource(await openPostbackSecret(ctx.database.pool, secrets, ctx.caller.userId));
  });
