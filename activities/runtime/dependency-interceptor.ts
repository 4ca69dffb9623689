/**
 * What happens when an activity fails: trouble of a part that the service runs on is waited for, without a limit, and of
 * any failure Temporal is told no more than it may keep.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { dependencyFailure } from '../../contract/commands.ts';
import { SourceError } from '../../contract/errors.ts';
import { dependencyTrouble, reportTrouble } from '../../platform/dependency-trouble.ts';
import type { Dependencies } from './dependencies.ts';
import { safeFailure } from './safe-failure.ts';

/** Reports the trouble and has the activity tried again soon, whatever its own retry policy says of other failures. */
export function dependencyInterceptor(
  deps: Pick<Dependencies, 'config' | 'logger' | 'metrics'>,
): ActivityInboundCallsInterceptor {
  // Together with the longest time-out of a call, well below the minute within which work goes on.
  const maxDelayMs = deps.config.DEPENDENCY_RETRY_SECONDS * 1_000;
  return {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        const { attempt, activityType, workflowExecution, isLocal } = Context.current().info;
        const trouble = dependencyTrouble(error);
        if (trouble === null) {
          const { failure, lost } = safeFailure(error);
          // What is wrong with a source's content is logged as such.
          if (lost !== null && !(lost instanceof SourceError)) {
            const workflowId = workflowExecution?.workflowId;
            deps.logger.warn({ event: 'activity.failed', activityType, workflowId, attempt, isLocal, err: lost });
          }
          throw failure;
        }
        reportTrouble(deps, trouble, error);
        throw ApplicationFailure.create({
          type: dependencyFailure,
          message: `The ${trouble.dependency} is in trouble: ${trouble.reason}.`,
          details: [trouble],
          // Spread over half of the delay, so that thousands do not come back at once.
          nextRetryDelay: Math.min(500 * 2 ** Math.min(attempt, 10), maxDelayMs) * (0.5 + Math.random() / 2),
        });
      }
    },
  };
}
