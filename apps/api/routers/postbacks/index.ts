import { router } from '../../trpc.ts';
import { getPostbackSecret } from './get-secret.ts';
import { rotateSecret } from './rotate-secret.ts';
import { sendTestPostback } from './send-test.ts';

export const postbacksRouter = router({
  secret: getPostbackSecret,
  rotateSecret: rotateSecret,
  test: sendTestPostback,
});
