import { router } from '../../trpc.ts';
import { getArtifact } from './get-artifact.ts';
import { listArtifacts } from './list-artifacts.ts';
import { processArtifact } from './process-artifact.ts';
import { promoteArtifact } from './promote-artifact.ts';

export const artifactsRouter = router({
  list: listArtifacts,
  get: getArtifact,
  process: processArtifact,
  promote: promoteArtifact,
});
