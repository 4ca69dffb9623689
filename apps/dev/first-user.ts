/** The user that `npm start` makes, and its key, which is kept beside the data. */
import { join } from 'node:path';
import { ApiKey } from '../../db/entities/api-key.ts';
import { User } from '../../db/entities/user.ts';
import type { Database } from '../../db/orm.ts';
import { createKey } from '../../db/transitions/users/create-key.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { hashOf } from '../../platform/api-key.ts';
import { keep, readKept } from './servers/kept-secret.ts';

const EMAIL = 'admin@localhost.localdomain';

/** The file, readable by its owner alone, that holds the key. */
export function keyFile(dataFolder: string): string {
  return join(dataFolder, 'key');
}

/** Returns the kept key where this database knows it; else makes one, and the user too where there is none. */
export async function firstKey(database: Database, dataFolder: string): Promise<string> {
  const em = database.orm.em.fork();
  const file = keyFile(dataFolder);
  const kept = await readKept(file);
  if (kept !== undefined && (await em.findOne(ApiKey, { keyHash: hashOf(kept) })) !== null) return kept;
  const user = await em.findOne(User, { email: EMAIL });
  if (user === null) {
    const { key } = await createUser(database.pool, { email: EMAIL, name: 'Admin', plan: 'pro' });
    await keep(file, key);
    return key;
  }
  // The key was deleted, or the file lost.
  const { key } = await createKey(database.pool, {
    userId: user.id,
    name: 'npm start',
    scopes: ['read', 'write'],
    expiresAt: null,
  });
  await keep(file, key);
  return key;
}
