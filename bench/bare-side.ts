/** Bare workflows, from the call that starts one to its result. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { bare } from './bare-workflow.ts';
import { now } from './clock.ts';
import { inFlight } from './in-flight.ts';
import { BARE_TASK_QUEUE, LIMIT_MS } from './stack.ts';

/** Those that apps/dispatcher/send-command.ts sets. */
const keys = ['OwnerId', 'SpaceId', 'SourceId', 'SourceType'].map((name) => defineSearchAttributeKey(name, 'KEYWORD'));

export interface SingleBare {
  workflowId: string;
  requested: number;
  seen: number;
}

/** What a bench does with bare workflows, over a client made as the dispatcher makes its own. */
export function createBareSide(client: Client) {
  const ownerId = randomUUID();

  function start(workflowId: string) {
    return client.workflow.start<typeof bare>('bare', {
      taskQueue: BARE_TASK_QUEUE,
      workflowId,
      args: [{ sourceId: workflowId, generation: 1 }],
      typedSearchAttributes: keys.map((key) => ({ key, value: ownerId })),
      staticSummary: `CONTENT: Runbook ${workflowId}`,
      priority: { fairnessKey: ownerId },
    });
  }

  /** A result that does not come, its worker being gone, say, is an error. */
  function limited<T>(work: () => Promise<T>): Promise<T> {
    return client.withAbortSignal(AbortSignal.timeout(LIMIT_MS), work);
  }

  return {
    /** Starts `count` workflows and returns how many seconds passed until all had returned. */
    burst(count: number, concurrency: number): Promise<{ seconds: number }> {
      return limited(async () => {
        const results: Promise<void>[] = [];
        const started = now();
        await inFlight(count, concurrency, async () => {
          const handle = await start(`bare-${randomUUID()}`);
          const result = handle.result();
          // A rejection is thrown below, when all have been started.
          result.catch(() => undefined);
          results.push(result);
        });
        await Promise.all(results);
        return { seconds: (now() - started) / 1000 };
      });
    },

    /** Starts one workflow and waits for its result. */
    single(): Promise<SingleBare> {
      return limited(async () => {
        const workflowId = `bare-${randomUUID()}`;
        const requested = now();
        const handle = await start(workflowId);
        await handle.result();
        return { workflowId, requested, seen: now() };
      });
    },
  };
}
export type BareSide = ReturnType<typeof createBareSide>;
