import { v7 as uuidv7 } from 'uuid';
import { createKey } from '../../platform/api-key.ts';
import { createWebhookSecret } from '../../platform/webhook.ts';
import { ApiKey } from '../entities/api-key.ts';
import { User } from '../entities/user.ts';
import type { Database } from '../orm.ts';

export interface NewUser {
  email: string;
  name: string;
  plan: 'free' | 'pro';
}

/** Creates a user with a first API key, which is returned and never shown again. */
export async function createUser(database: Database, user: NewUser): Promise<{ userId: string; key: string }> {
  const em = database.orm.em.fork();
  const now = new Date();
  const userId = uuidv7();
  const { key, ...stored } = createKey();
  em.create(User, {
    id: userId,
    email: user.email.toLowerCase(),
    name: user.name,
    plan: user.plan,
    postbackSecret: createWebhookSecret(),
    createdAt: now,
    updatedAt: now,
  });
  em.create(ApiKey, { id: uuidv7(), userId, name: 'First key', ...stored, scopes: ['read', 'write'], createdAt: now });
  await em.flush();
  return { userId, key };
}
