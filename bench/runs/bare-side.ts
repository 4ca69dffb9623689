/** Runs bare workflows and measures from the start call until a poll sees the end. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { inFlight } from '../../test/support/in-flight.ts';
import { now } from '../clock.ts';
import type { bare } from './bare-workflow.ts';
import { countEnded, endOf } from './ended-runs.ts';
import type { fixed } from './fixed-workflow.ts';
import { BURST_POLL_MS, SINGLE_POLL_MS, TIMEOUT_MS } from './polling.ts';
import type { Bare } from './sides.ts';

/** The search attributes that apps/dispatcher/outbox/send-command.ts sets. */
const keys = ['OwnerId', 'SpaceId', 'SourceId', 'SourceType'].map((name) => defineSearchAttributeKey(name, 'KEYWORD'));

export interface SingleBare {
  workflowId: string;
  requested: number;
  /** When its last activity returned, in milliseconds since 1970 by the worker's clock. */
  ended: number;
  seen: number;
}

/** Starts bare workflows of one kind with a client that is configured like the dispatcher's. */
export function createBareSide(client: Client, kind: { workflow: Bare; taskQueue: string; endedUrl: string }) {
  const ownerId = randomUUID();
  const { endedUrl } = kind;

  async function start(): Promise<string> {
    const workflowId = `${kind.workflow}-${randomUUID()}`;
    await client.workflow.start<typeof bare | typeof fixed>(kind.workflow, {
      taskQueue: kind.taskQueue,
      workflowId,
      args: [{ sourceId: workflowId, generation: 1 }],
      typedSearchAttributes: keys.map((key) => ({ key, value: ownerId })),
      staticSummary: `CONTENT: Runbook ${workflowId}`,
      priority: { fairnessKey: ownerId },
    });
    return workflowId;
  }

  /** @throws when the run does not end within TIMEOUT_MS, for example because its worker has exited. */
  async function awaitEnd(what: string, everyMs: number, hasEnded: () => Promise<boolean>): Promise<void> {
    for (const deadline = now() + TIMEOUT_MS; !(await hasEnded()); await delay(everyMs)) {
      if (now() > deadline) throw new Error(`${what} did not end within ${TIMEOUT_MS / 1000} s.`);
    }
  }

  return {
    /** Starts `count` workflows and returns the seconds until all have ended. */
    async burst(count: number, concurrency: number): Promise<{ seconds: number }> {
      const before = await countEnded(endedUrl);
      const started = now();
      await Promise.all([
        awaitEnd(`${count} workflows`, BURST_POLL_MS, async () => (await countEnded(endedUrl)) === before + count),
        inFlight(count, concurrency, async () => {
          await start();
        }),
      ]);
      return { seconds: (now() - started) / 1000 };
    },

    /** Starts one workflow and waits until it has ended. */
    async single(): Promise<SingleBare> {
      const requested = now();
      const workflowId = await start();
      let ended = 0;
      await awaitEnd(workflowId, SINGLE_POLL_MS, async () => {
        ended = await endOf(endedUrl, workflowId);
        return ended > 0;
      });
      return { workflowId, requested, ended, seen: now() };
    },
  };
}
export type BareSide = ReturnType<typeof createBareSide>;
