import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../../db/orm.ts';
import {
  countRemainingUserData,
  markUserDeleting,
  type RemainingUserData,
} from '../../../db/transitions/users/delete-user.ts';
import { CommandError, defineCommand } from '../command.ts';
import { emailOption, findUser } from '../users.ts';

const POLL_MS = 500;

const formatCounts = ({ spaces, sources, uploads }: RemainingUserData) =>
  `${spaces} spaces, ${sources} sources and ${uploads} uploads`;

/** Waits until the user's row is removed. Prints what remains to standard error whenever that has changed. */
async function awaitRemoval(database: Database, userId: string): Promise<void> {
  let lastLine = '';
  for (;;) {
    const left = await countRemainingUserData(database.pool, userId);
    if (left === null) return;
    const line = `Remaining: ${formatCounts(left)}.`;
    if (line !== lastLine) process.stderr.write(`${line}\n`);
    lastLine = line;
    await delay(POLL_MS);
  }
}

export const userDelete = defineCommand({
  name: 'user delete',
  summary:
    'Permanently delete a user and all their data. Needs a running dispatcher and worker; continues after a crash.',
  positional: 'email',
  options: z.object({
    email: emailOption,
    yes: z.boolean().default(false).meta({ description: 'delete; without it, only print what would be deleted' }),
    wait: z.boolean().default(true).meta({ description: 'do not wait until the deletion is complete' }),
  }),
  async run(database, { email, yes, wait }) {
    const { user } = await findUser(database, email, '--email');
    const found = await countRemainingUserData(database.pool, user.id);
    if (found === null) throw new CommandError(`--email: there is no user ${email}.`);
    if (!yes) {
      throw new CommandError(
        `${email} has ${formatCounts(found)}. With --yes all of it is permanently deleted, with keys, tickets and ` +
          'workflow executions in Temporal. "user export" keeps a copy.',
      );
    }
    const deletingAt = await markUserDeleting(database.pool, user.id);
    if (wait) await awaitRemoval(database, user.id);
    const data = { user: { id: user.id, email }, deletingAt: deletingAt?.toISOString() ?? null, found, done: wait };
    return {
      data,
      text: wait
        ? `${email} is deleted, with ${formatCounts(found)}.`
        : `${email} is being deleted, with ${formatCounts(found)}. All their keys are rejected from now on.`,
    };
  },
});
