import { z } from 'zod';
import { scopes } from '../../../contract/statuses.ts';
import { createKey } from '../../../db/transitions/users/create-key.ts';
import { defineCommand } from '../command.ts';
import { keyData } from '../keys.ts';
import { emailOption, findUser } from '../users.ts';

const scopesOption = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((scope) => scope.trim()))])
  .pipe(z.array(z.enum(scopes, { error: `must be ${scopes.join(' or ')}, or both with a comma.` })));

const expiresOption = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 date or time: 2030-12-31 or 2030-12-31T12:00:00Z.',
  })
  .transform((text) => new Date(text))
  .refine((date) => date.getTime() > Date.now(), { error: 'must be in the future.' });

export const keyCreate = defineCommand({
  name: 'key create',
  summary: 'Create an API key for a user. The key is shown only once.',
  options: z.object({
    user: emailOption,
    name: z
      .string()
      .trim()
      .min(1, { error: 'must not be empty.' })
      .max(200, { error: 'must have at most 200 characters.' })
      .default('Made by the operator')
      .meta({ value: 'NAME', description: 'name of the key' }),
    scopes: scopesOption.optional().meta({ value: scopes.join(','), description: 'scopes of the key; default: all' }),
    expires: expiresOption
      .optional()
      .meta({ value: 'TIME', description: 'expiry, an ISO 8601 date or time; default: never' }),
  }),
  async run(database, { user: email, name, scopes: wanted = [...scopes], expires = null }) {
    const { user } = await findUser(database, email, '--user');
    const { key, ...stored } = await createKey(database.orm.em.fork(), {
      userId: user.id,
      name,
      scopes: wanted,
      expiresAt: expires,
    });
    return {
      data: { apiKey: keyData(stored), key },
      text: `Key ${stored.id} of ${email} (${wanted.join(', ')})\nAPI key (shown only once): ${key}`,
    };
  },
});
