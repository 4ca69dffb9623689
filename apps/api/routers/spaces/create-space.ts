import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { spaceSchema } from '../../../../contract/resources.ts';
import { Space } from '../../../../db/entities/space.ts';
import { descriptionField, nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toSpaceResource } from './space-resource.ts';

export const createSpace = procedure
  .meta({ rest: { method: 'POST', path: '/spaces', status: 201 }, summary: 'Create a space' })
  .input(z.strictObject({ name: nameField, description: descriptionField.default('') }))
  .output(spaceSchema)
  .mutation(async ({ ctx, input }) => {
    const em = ctx.database.orm.em.fork();
    const now = new Date();
    const space = em.create(Space, {
      id: uuidv7(),
      ownerId: ctx.caller.userId,
      ...input,
      createdAt: now,
      updatedAt: now,
    });
    await em.flush();
    return toSpaceResource(space);
  });
