import { z } from 'zod';
import { plans } from '../../../contract/statuses.ts';
import { createUser } from '../../../db/transitions/users/create-user.ts';
import { CommandError, defineCommand } from '../command.ts';
import { emailOption, findUser, userData } from '../users.ts';

export const planOption = z
  .enum(plans, { error: `must be ${plans.join(' or ')}.` })
  .meta({ value: plans.join('|'), description: 'plan, which sets the limits' });

export const userCreate = defineCommand({
  name: 'user create',
  summary: 'Create a user and a first API key. The key is shown only once.',
  options: z.object({
    email: emailOption,
    name: z
      .string()
      .trim()
      .min(1, { error: 'must not be empty.' })
      .max(200, { error: 'must have at most 200 characters.' })
      .optional()
      .meta({ value: 'NAME', description: 'name of the user; default: the address' }),
    plan: planOption.default('free').meta({ value: plans.join('|'), description: 'plan; default: free' }),
  }),
  async run(database, { email, name = email, plan }) {
    try {
      const { key } = await createUser(database.pool, { email, name, plan });
      const { user } = await findUser(database, email, '--email');
      return {
        data: { user: userData(user), key },
        text: `User ${user.id} (${email}, ${plan})\nAPI key (shown only once): ${key}`,
      };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new CommandError(`--email: there is a user ${email} already.`);
    }
  },
});

/** PostgreSQL's unique_violation. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}
