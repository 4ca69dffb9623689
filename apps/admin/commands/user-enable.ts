import { z } from 'zod';
import { CommandError, defineCommand } from '../command.ts';
import { emailOption, findUser, userData } from '../users.ts';

export const userEnable = defineCommand({
  name: 'user enable',
  summary: 'Accept the keys of a disabled user again.',
  options: z.object({ email: emailOption }),
  async run(database, { email }) {
    const { em, user } = await findUser(database, email, '--email');
    if (user.deletingAt != null) throw new CommandError(`--email: ${email} is being deleted.`);
    user.disabledAt = null;
    await em.flush();
    return { data: { user: userData(user) }, text: `${email} is enabled.` };
  },
});
