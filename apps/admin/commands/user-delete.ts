import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../../db/orm.ts';
import { type LeftOfUser, markUserDeleting, readLeftOfUser } from '../../../db/transitions/users/delete-user.ts';
import { CommandError, defineCommand } from '../command.ts';
import { emailOption, findUser } from '../users.ts';

const LOOK_MS = 500;

const inWords = ({ spaces, sources, uploads }: LeftOfUser) =>
  `${spaces} spaces, ${sources} sources and ${uploads} uploads`;

/** Returns once the row of the user is gone, and says meanwhile on standard error what is left. */
async function awaitRemoval(database: Database, userId: string): Promise<void> {
  let said = '';
  for (;;) {
    const left = await readLeftOfUser(database.pool, userId);
    if (left === null) return;
    const words = `Left: ${inWords(left)}.`;
    if (words !== said) process.stderr.write(`${words}\n`);
    said = words;
    await delay(LOOK_MS);
  }
}

export const userDelete = defineCommand({
  name: 'user delete',
  summary:
    'Delete a user with everything that is theirs, for good. A dispatcher and a worker do it, after a crash too.',
  positional: 'email',
  options: z.object({
    email: emailOption,
    yes: z.boolean().default(false).meta({ description: 'really do it; without, it only says what would go' }),
    'no-wait': z.boolean().default(false).meta({ description: 'return once it is decided, and not when it is done' }),
  }),
  async run(database, { email, yes, 'no-wait': noWait }) {
    const { user } = await findUser(database, email, '--email');
    const found = await readLeftOfUser(database.pool, user.id);
    if (found === null) throw new CommandError(`--email: there is no user ${email}.`);
    if (!yes) {
      throw new CommandError(
        `${email} has ${inWords(found)}. All of it would go for good, with keys, tickets and what Temporal holds. ` +
          'Add --yes to delete it; "user export" keeps a copy.',
      );
    }
    const deletingAt = await markUserDeleting(database.pool, user.id);
    if (!noWait) await awaitRemoval(database, user.id);
    const data = { user: { id: user.id, email }, deletingAt: deletingAt?.toISOString() ?? null, found, done: !noWait };
    return {
      data,
      text: noWait
        ? `${email} is being deleted, with ${inWords(found)}. No key of theirs opens anything from now on.`
        : `${email} is deleted, with ${inWords(found)}.`,
    };
  },
});
