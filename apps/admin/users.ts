/** Lookup of users for commands, and their output. */
import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { User } from '../../db/entities/user.ts';
import type { Database } from '../../db/orm.ts';
import { CommandError } from './command.ts';

/** Option for the e-mail address of a user. */
export const emailOption = z
  .email({ error: 'must be an e-mail address.' })
  .toLowerCase()
  .meta({ value: 'ADDRESS', description: 'e-mail address of the user' });

/** @throws CommandError that names `option` if the user does not exist. */
export async function findUser(database: Database, email: string, option: '--email' | '--user') {
  const em = database.orm.em.fork();
  const user = await em.findOne(User, { email });
  if (user === null) throw new CommandError(`${option}: there is no user ${email}. "user list" shows all.`);
  return { em, user };
}

/** A user in the output of commands. */
export function userData({ id, email, name, plan, disabledAt, deletingAt, createdAt }: InferEntity<typeof User>) {
  return {
    id,
    email,
    name,
    plan,
    disabledAt: disabledAt?.toISOString() ?? null,
    deletingAt: deletingAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
