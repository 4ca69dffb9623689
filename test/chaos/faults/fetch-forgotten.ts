/** A fault that is built into a bundle of the workflows: a fetch is awaited and was never asked for. */
import type { WorkflowInterceptors } from '@temporalio/workflow';

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity: (input, next) =>
        input.activityType === 'fetchContent' ? new Promise(() => undefined) : next(input),
    },
  ],
});
