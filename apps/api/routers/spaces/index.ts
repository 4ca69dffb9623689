import { router } from '../../trpc.ts';
import { createSpace } from './create-space.ts';
import { getSpace } from './get-space.ts';
import { listSpaces } from './list-spaces.ts';

export const spacesRouter = router({ create: createSpace, list: listSpaces, get: getSpace });
