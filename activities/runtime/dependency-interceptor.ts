/**
 * Failures of activities. Dependency trouble is retried without a limit; every other failure is reduced to what may be
 * stored in Temporal.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { dependencyFailure } from '../../contract/commands.ts';
import { SourceError } from '../../contract/errors.ts';
import { dependencyTrouble, reportTrouble } from '../../platform/dependency-trouble.ts';
import type { Dependencies } from './dependencies.ts';
import { safeFailure } from './safe-failure.ts';

/** Reports dependency trouble and fails the attempt with a short retry delay, instead of that of the retry policy. */
export function dependencyInterceptor(
  deps: Pick<Dependencies, 'config' | 'logger' | 'metrics'>,
): ActivityInboundCallsInterceptor {
  // Plus the longest time-out of a call, this stays well below one minute, within which work must continue.
  const maxDelayMs = deps.config.DEPENDENCY_RETRY_SECONDS * 1_000;
  return {
    async execute(input, next) {
      try {
        return await next(input);
      } catch (error) {
        const { attempt, activityType, workflowExecution, isLocal } = Context.current().info;
        const trouble = dependencyTrouble(error);
        if (trouble === null) {
          const { failure, hidden } = safeFailure(error);
          // Errors of a source's content are logged as `stage.failed`.
          if (hidden !== null && !(hidden instanceof SourceError)) {
            const workflowId = workflowExecution?.workflowId;
            deps.logger.warn({ event: 'activity.failed', activityType, workflowId, attempt, isLocal, err: hidden });
          }
          throw failure;
        }
        reportTrouble(deps, trouble, error);
        throw ApplicationFailure.create({
          type: dependencyFailure,
          message: `The ${trouble.dependency} is in trouble: ${trouble.reason}.`,
          details: [trouble],
          // Jitter over half of the delay, so that thousands of activities are not retried at the same time.
          nextRetryDelay: Math.min(500 * 2 ** Math.min(attempt, 10), maxDelayMs) * (0.5 + Math.random() / 2),
        });
      }
    },
  };
}
