import { router } from '../../trpc.ts';
import { listArtifactsOfSource } from '../artifacts/list-artifacts.ts';
import { listPostbacks } from '../postbacks/list-postbacks.ts';
import { redeliverPostback } from '../postbacks/redeliver-postback.ts';
import { actOnSources } from './bulk-actions.ts';
import { cancelSource } from './cancel-source.ts';
import { createSource } from './create-source.ts';
import { deleteSource } from './delete-source.ts';
import { getContent } from './get-content.ts';
import { getContext } from './get-context.ts';
import { getSource } from './get-source.ts';
import { listGenerations } from './list-generations.ts';
import { listSourcesOfCollection, listSourcesOfSpace } from './list-sources.ts';
import { refreshSource } from './refresh-source.ts';
import { reprocessSource } from './reprocess-source.ts';
import { restoreSource } from './restore-source.ts';
import { streamSourceEvents } from './stream-source-events.ts';
import { togglePin } from './toggle-pin.ts';
import { updateSource } from './update-source.ts';

export const sourcesRouter = router({
  create: createSource,
  list: listSourcesOfSpace,
  listOfCollection: listSourcesOfCollection,
  get: getSource,
  update: updateSource,
  delete: deleteSource,
  restore: restoreSource,
  togglePin,
  content: getContent,
  context: getContext,
  artifacts: listArtifactsOfSource,
  generations: listGenerations,
  postbacks: listPostbacks,
  redeliver: redeliverPostback,
  cancel: cancelSource,
  reprocess: reprocessSource,
  refresh: refreshSource,
  actions: actOnSources,
  events: streamSourceEvents,
});
