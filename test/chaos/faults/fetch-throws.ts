/** A fault that is built into a bundle of the workflows: what would fetch throws, as a mistake in their code would. */
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
