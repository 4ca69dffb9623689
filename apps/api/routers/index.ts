/** All procedures of the service. `AppRouter` is the type for clients. */
export type { Postback } from '../../../contract/postback.ts';

import { router } from '../trpc.ts';
import { apiKeysRouter } from './api-keys/index.ts';
import { artifactsRouter } from './artifacts/index.ts';
import { collectionsRouter } from './collections/index.ts';
import { postbacksRouter } from './postbacks/index.ts';
import { sourcesRouter } from './sources/index.ts';
import { spacesRouter } from './spaces/index.ts';
import { ticketsRouter } from './tickets/index.ts';
import { uploadsRouter } from './uploads/index.ts';
import { usageRouter } from './usage/index.ts';

export const appRouter = router({
  spaces: spacesRouter,
  collections: collectionsRouter,
  sources: sourcesRouter,
  artifacts: artifactsRouter,
  uploads: uploadsRouter,
  apiKeys: apiKeysRouter,
  postbacks: postbacksRouter,
  tickets: ticketsRouter,
  usage: usageRouter,
});
export type AppRouter = typeof appRouter;
