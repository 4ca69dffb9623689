/** Workflow fault: scheduling a fetch throws, like a bug in the workflow code. */
import type { WorkflowInterceptors } from '@temporalio/workflow';

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      async scheduleActivity(input, next) {
        if (input.activityType === 'fetchContent') throw new Error('A mistake in the code of the workflow.');
        return next(input);
      },
    },
  ],
});
