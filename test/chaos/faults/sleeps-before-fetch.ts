/** A difference that is built into a bundle of the workflows: they sleep before they fetch, as no version of ours did. */
import { sleep, type WorkflowInterceptors } from '@temporalio/workflow';

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      async scheduleActivity(input, next) {
        if (input.activityType === 'fetchContent') await sleep(1);
        return next(input);
      },
    },
  ],
});
