/** What happens when an activity meets trouble of PostgreSQL, Temporal or the storage: it waits, without a limit. */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { dependencyFailure } from '../contract/commands.ts';
import { dependencyTrouble, reportTrouble } from '../platform/dependency-trouble.ts';
import type { Dependencies } from './dependencies.ts';

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
        const trouble = dependencyTrouble(error);
        if (trouble === null) throw error;
        reportTrouble(deps, trouble, error);
        const { attempt } = Context.current().info;
        throw ApplicationFailure.create({
          type: dependencyFailure,
          message: error instanceof Error ? error.message : String(error),
          details: [trouble],
          // Spread over half of the delay, so that thousands do not come back at once.
          nextRetryDelay: Math.min(500 * 2 ** Math.min(attempt, 10), maxDelayMs) * (0.5 + Math.random() / 2),
          ...(error instanceof Error ? { cause: error } : {}),
        });
      }
    },
  };
}
