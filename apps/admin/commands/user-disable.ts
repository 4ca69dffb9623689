import { z } from 'zod';
import { defineCommand } from '../command.ts';
import { emailOption, findUser, userData } from '../users.ts';

export const userDisable = defineCommand({
  name: 'user disable',
  summary: 'Reject all keys of a user from now on. Nothing is deleted.',
  options: z.object({ email: emailOption }),
  async run(database, { email }) {
    const { em, user } = await findUser(database, email, '--email');
    user.disabledAt ??= new Date();
    await em.flush();
    return { data: { user: userData(user) }, text: `${email} is disabled.` };
  },
});
