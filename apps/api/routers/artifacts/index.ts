import { router } from '../../trpc.ts';
import { listArtifacts } from './list-artifacts.ts';
import { promoteArtifact } from './promote-artifact.ts';

export const artifactsRouter = router({ list: listArtifacts, promote: promoteArtifact });
