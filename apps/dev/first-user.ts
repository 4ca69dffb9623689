/** The user that `npm start` creates, and its API key, stored in the data folder. */
import { join } from 'node:path';
import { ApiKey } from '../../db/entities/api-key.ts';
import { User } from '../../db/entities/user.ts';
import type { Database } from '../../db/orm.ts';
import { createKey } from '../../db/transitions/users/create-key.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { hashOf } from '../../platform/api-key.ts';
import { readSecret, writeSecret } from './servers/kept-secret.ts';

const EMAIL = 'admin@localhost.localdomain';

/** Returns the path of the file with the key (mode 0600). */
export function keyFile(dataFolder: string): string {
  return join(dataFolder, 'key');
}

/** Returns the stored key if this database knows it; otherwise creates one, and the user if it does not exist. */
export async function firstKey(database: Database, dataFolder: string): Promise<string> {
  const em = database.orm.em.fork();
  const file = keyFile(dataFolder);
  const stored = await readSecret(file);
  if (stored !== undefined && (await em.findOne(ApiKey, { keyHash: hashOf(stored) })) !== null) return stored;
  const user = await em.findOne(User, { email: EMAIL });
  if (user === null) {
    const { key } = await createUser(database.pool, { email: EMAIL, name: 'Admin', plan: 'pro' });
    await writeSecret(file, key);
    return key;
  }
  // The key was deleted, or the file lost.
  const { key } = await createKey(em, {
    userId: user.id,
    name: 'npm start',
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  await writeSecret(file, key);
  return key;
}
