import { router } from '../../trpc.ts';
import { createSpace } from './create-space.ts';
import { deleteSpace } from './delete-space.ts';
import { getSpace } from './get-space.ts';
import { listSpaces } from './list-spaces.ts';
import { restoreSpace } from './restore-space.ts';
import { streamSpaceEvents } from './stream-space-events.ts';
import { updateSpace } from './update-space.ts';

export const spacesRouter = router({
  create: createSpace,
  list: listSpaces,
  get: getSpace,
  update: updateSpace,
  delete: deleteSpace,
  restore: restoreSpace,
  events: streamSpaceEvents,
});
