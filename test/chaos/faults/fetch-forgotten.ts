/** Workflow fault: the workflow awaits a fetch that was never scheduled. */
import type { WorkflowInterceptors } from '@temporalio/workflow';

export const interceptors = (): WorkflowInterceptors => ({
  outbound: [
    {
      scheduleActivity: (input, next) =>
        input.activityType === 'fetchContent' ? new Promise(() => undefined) : next(input),
    },
  ],
});
