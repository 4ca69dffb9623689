import { z } from 'zod';
import { ApiKey } from '../../../db/entities/api-key.ts';
import { defineCommand, table } from '../command.ts';
import { keyData } from '../keys.ts';
import { emailOption, findUser } from '../users.ts';

const MAX_KEYS = 1_000;

export const keyList = defineCommand({
  name: 'key list',
  summary: `List the newest ${MAX_KEYS} API keys of a user.`,
  options: z.object({ user: emailOption }),
  async run(database, { user: email }) {
    const { em, user } = await findUser(database, email, '--user');
    const rows = await em.find(
      ApiKey,
      { userId: user.id },
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit: MAX_KEYS },
    );
    const keys = rows.map(({ expiresAt = null, lastUsedAt = null, ...key }) =>
      keyData({ ...key, expiresAt, lastUsedAt }),
    );
    const cells = keys.map((key) => [
      key.id,
      `${key.prefix}...${key.last4}`,
      key.scopes.join(','),
      key.createdAt,
      key.expiresAt ?? '-',
      key.lastUsedAt ?? '-',
      key.name,
    ]);
    return {
      data: { keys },
      text: table(['ID', 'KEY', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME'], cells),
    };
  },
});
