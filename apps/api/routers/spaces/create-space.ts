import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { spaceSchema } from '../../../../contract/resources.ts';
import { createSpace as insertSpace } from '../../../../db/transitions/spaces/write-space.ts';
import { idempotent } from '../../idempotency.ts';
import { descriptionField, nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { toSpaceResource } from './space-resource.ts';

export const createSpace = procedure
  .meta({
    rest: { method: 'POST', path: '/spaces', status: 201 },
    summary: 'Create a space',
    example: { name: 'Research', description: 'What we read about durable workflows' },
  })
  .input(z.strictObject({ name: nameField, description: descriptionField.default('') }))
  .output(spaceSchema)
  .mutation(
    idempotent(async ({ ctx, input, write }) =>
      write(async (session) =>
        toSpaceResource(await insertSpace(session, { id: uuidv7(), ownerId: ctx.caller.userId, ...input })),
      ),
    ),
  );
