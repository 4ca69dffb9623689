import { z } from 'zod';
import { defineCommand } from '../command.ts';
import { emailOption, findUser, userData } from '../users.ts';
import { planOption } from './user-create.ts';

export const userPlan = defineCommand({
  name: 'user plan',
  summary: 'Change the plan of a user, from the next request on.',
  options: z.object({ email: emailOption, plan: planOption }),
  async run(database, { email, plan }) {
    const { em, user } = await findUser(database, email, '--email');
    user.plan = plan;
    user.updatedAt = new Date();
    await em.flush();
    return { data: { user: userData(user) }, text: `${email} has the plan ${plan}.` };
  },
});
