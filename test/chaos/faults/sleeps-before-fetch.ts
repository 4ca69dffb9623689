/** Workflow fault: a non-deterministic change, a timer before the fetch that no real version has. */
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
