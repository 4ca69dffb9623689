import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { buildPostback } from '../../../../contract/postback.ts';
import { postbackTestSchema } from '../../../../contract/resources.ts';
import { openPostbackSecret } from '../../../../db/transitions/postbacks/open-postback-secret.ts';
import type { Egress } from '../../../../platform/egress.ts';
import { createSecrets } from '../../../../platform/secrets.ts';
import { isDelivered, sendPostback } from '../../../../platform/send-postback.ts';
import { badRequest, type ErrorDetail } from '../../errors.ts';
import { idempotent } from '../../idempotency.ts';
import { procedure } from '../../trpc.ts';
import { sentence } from '../sources/source-input.ts';

/** A postback like any other; `metadata.test` tells it apart, and its ids belong to nothing. */
function sampleBody(publicUrl: string): string {
  return JSON.stringify(
    buildPostback(publicUrl, {
      id: randomUUID(),
      spaceId: randomUUID(),
      type: 'CONTENT',
      name: 'Sample',
      status: 'COMPLETED',
      generation: 1,
      error: null,
      metadata: { test: true },
      externalId: null,
      endedAt: new Date(),
    }),
  );
}

function wrongUrl(egress: Egress, url: string): ErrorDetail[] {
  const check = egress.checkUrl(url);
  return check.ok ? [] : [{ field: 'url', message: sentence(check.reason) }];
}

export const sendTestPostback = procedure
  .meta({
    rest: { method: 'POST', path: '/postbacks/test' },
    summary: 'Send a sample postback',
    description: 'Sends one signed sample (`metadata.test`) and returns the response. Nothing is stored or retried.',
    alsoWrong: (input, { egress }) => {
      const { data } = z.object({ url: z.string() }).safeParse(input);
      return data ? wrongUrl(egress, data.url) : [];
    },
    example: { url: 'https://example.com/hooks/context' },
  })
  .input(z.strictObject({ url: z.string() }))
  .output(postbackTestSchema)
  .mutation(
    idempotent(async ({ ctx, input, write, claim }) => {
      const details = wrongUrl(ctx.egress, input.url);
      if (details.length > 0) throw badRequest(details);
      const secrets = createSecrets(ctx.config);
      const { secret, previousSecret } = await openPostbackSecret(ctx.database.pool, secrets, ctx.caller.userId);
      const sample = {
        id: randomUUID(),
        url: input.url,
        body: sampleBody(ctx.config.PUBLIC_URL),
        secret,
        previousSecret,
      };
      await claim();
      // Outside the transaction, which must not stay open for as long as a receiver likes.
      const sent = await sendPostback(ctx.egress, sample);
      const { statusCode, durationMs, response, error } = sent;
      return write(async () => ({ delivered: isDelivered(sent), statusCode, durationMs, response, error }));
    }),
  );
