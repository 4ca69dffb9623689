import { router } from '../../trpc.ts';
import { getPostbackSecret } from './get-secret.ts';

export const postbacksRouter = router({ secret: getPostbackSecret });
