import { z } from 'zod';
import { reencryptSecrets } from '../../../db/transitions/postbacks/encrypt-secrets.ts';
import { secretsKeysForTools } from '../../../platform/config.ts';
import { createSecrets } from '../../../platform/secrets.ts';
import { CommandError, defineCommand } from '../command.ts';

export const secretsEncrypt = defineCommand({
  name: 'secrets encrypt',
  summary: 'Re-encrypt with SECRETS_KEY all secrets that are encrypted with a key of SECRETS_KEY_PREVIOUS.',
  options: z.object({}),
  async run(database) {
    const keys = secretsKeysForTools();
    if (keys === null) throw new CommandError('SECRETS_KEY must be set.');
    const users = await reencryptSecrets(database.pool, createSecrets(keys));
    return { data: { users }, text: `The secrets of ${users} users were re-encrypted.` };
  },
});
