import { router } from '../../trpc.ts';
import { createCollection } from './create-collection.ts';
import { listCollections } from './list-collections.ts';

export const collectionsRouter = router({ create: createCollection, list: listCollections });
