import { router } from '../../trpc.ts';
import { grantUpload } from './grant-upload.ts';

export const uploadsRouter = router({ grant: grantUpload });
