import { v7 as uuidv7 } from 'uuid';
import type { Plan } from '../../../contract/statuses.ts';
import { createKey } from '../../../platform/api-key.ts';
import { query, type Session, statement } from '../../sql.ts';

export interface NewUser {
  email: string;
  name: string;
  plan: Plan;
}

const insert = statement(
  'create-user',
  `with new_user as (
     insert into users (id, email, name, plan) values ($1, $2, $3, $4) returning id
   )
   insert into api_keys (id, user_id, name, key_hash, prefix, last4, scopes)
   select $5, id, 'First key', $6, $7, $8, array['read', 'write'] from new_user`,
);

/**
 * Creates a user with a first API key, which is returned and never shown again.
 * @throws the database's unique violation `users_email_unique`.
 */
export async function createUser(
  session: Session,
  { email, name, plan }: NewUser,
): Promise<{ userId: string; key: string }> {
  const userId = uuidv7();
  const { key, keyHash, prefix, last4 } = createKey();
  await query(session, insert, [userId, email.toLowerCase(), name, plan, uuidv7(), keyHash, prefix, last4]);
  return { userId, key };
}
