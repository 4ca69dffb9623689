import { z } from 'zod';
import { User } from '../../../db/entities/user.ts';
import { defineCommand, table } from '../command.ts';
import { userData } from '../users.ts';
import { planOption } from './user-create.ts';

const limits = { error: 'must be a number from 1 to 1000.' };

export const userList = defineCommand({
  name: 'user list',
  summary: 'List users in the order of their e-mail addresses.',
  options: z.object({
    plan: planOption.optional().meta({ value: 'free|pro', description: 'only users with this plan' }),
    after: z.string().default('').meta({ value: 'ADDRESS', description: 'only addresses sorted after this one' }),
    limit: z.coerce
      .number(limits)
      .int(limits)
      .min(1, limits)
      .max(1_000, limits)
      .default(100)
      .meta({ value: 'NUMBER', description: 'maximum number of users; default: 100' }),
  }),
  async run(database, { plan, after, limit }) {
    const users = await database.orm.em
      .fork()
      .find(
        User,
        { email: { $gt: after.toLowerCase() }, ...(plan === undefined ? {} : { plan }) },
        { orderBy: { email: 'asc' }, limit: limit + 1 },
      );
    const shown = users.slice(0, limit).map(userData);
    const next = users.length > limit ? (shown.at(-1)?.email ?? null) : null;
    const rows = shown.map((user) => [
      user.email,
      user.plan,
      user.disabledAt ?? '-',
      user.createdAt,
      user.id,
      user.name,
    ]);
    const more = next === null ? '' : `\nNext page: --after ${next}`;
    return {
      data: { users: shown, next },
      text: table(['EMAIL', 'PLAN', 'DISABLED', 'CREATED', 'ID', 'NAME'], rows) + more,
    };
  },
});
