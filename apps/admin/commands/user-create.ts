import { parseArgs } from 'node:util';
import { z } from 'zod';
import { plans } from '../../../contract/statuses.ts';
import type { Database } from '../../../db/orm.ts';
import { createUser } from '../../../db/transitions/create-user.ts';

export const userCreateUsage = 'user create --email ADDRESS [--name NAME] [--plan free|pro]';

const optionsSchema = z.object({
  email: z.email({ error: '--email must be an e-mail address' }),
  name: z.string().min(1).optional(),
  plan: z.enum(plans, { error: '--plan must be free or pro' }).default('free'),
});

/** Creates a user and prints the first key: the only time that it is shown. */
export async function userCreate(database: Database, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { email: { type: 'string' }, name: { type: 'string' }, plan: { type: 'string' } },
  });
  const { email, name = email, plan } = optionsSchema.parse(values);
  const { userId, key } = await createUser(database, { email, name, plan });
  return `User ${userId} (${email}, ${plan})\nAPI key, shown this once: ${key}`;
}
