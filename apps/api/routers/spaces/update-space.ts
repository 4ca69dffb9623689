import { z } from 'zod';
import { spaceSchema } from '../../../../contract/resources.ts';
import { updateSpace as replaceSpace } from '../../../../db/transitions/spaces/write-space.ts';
import { notFound } from '../../errors.ts';
import { descriptionField, isUuid, nameField } from '../../input.ts';
import { procedure } from '../../trpc.ts';
import { writeWithKey } from '../../write.ts';
import { toSpaceResource } from './space-resource.ts';

/** Replaces name and description; a missing description becomes empty. */
export const updateSpace = procedure
  .meta({
    rest: { method: 'PUT', path: '/spaces/{spaceId}' },
    summary: 'Update a space',
    description: 'Replaces the name and the description; a missing description becomes "".',
    example: { name: 'Research', description: 'What we read about durable workflows' },
  })
  .input(z.strictObject({ spaceId: z.string(), name: nameField, description: descriptionField.default('') }))
  .output(spaceSchema)
  .mutation(async ({ ctx, input: { spaceId, ...fields } }) => {
    if (!isUuid(spaceId)) throw notFound('space');
    const space = await writeWithKey(ctx, (session) => replaceSpace(session, ctx.caller.userId, spaceId, fields));
    if (space === null) throw notFound('space');
    return toSpaceResource(space);
  });
