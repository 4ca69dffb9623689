/** Bare workflows, from the call that starts one until a poll sees that it has ended. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { inFlight } from '../../test/support/in-flight.ts';
import { now } from '../clock.ts';
import type { bare } from './bare-workflow.ts';
import { countEnded, endOf } from './ended-runs.ts';
import type { fixed } from './fixed-workflow.ts';
import { BURST_POLL_MS, LIMIT_MS, SINGLE_POLL_MS } from './polling.ts';
import type { Bare } from './sides.ts';

/** Those that apps/dispatcher/outbox/send-command.ts sets. */
const keys = ['OwnerId', 'SpaceId', 'SourceId', 'SourceType'].map((name) => defineSearchAttributeKey(name, 'KEYWORD'));

export interface SingleBare {
  workflowId: string;
  requested: number;
  /** When its last activity did what the service's does, by the clock of its worker. */
  ended: number;
  seen: number;
}

/** What a bench does with bare workflows of one kind, over a client made as the dispatcher makes its own. */
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

  /** A run that does not end, its worker being gone, say, is an error. */
  async function poll(what: string, everyMs: number, hasEnded: () => Promise<boolean>): Promise<void> {
    for (const deadline = now() + LIMIT_MS; !(await hasEnded()); await delay(everyMs)) {
      if (now() > deadline) throw new Error(`${what} had not ended within ${LIMIT_MS / 1000} s.`);
    }
  }

  return {
    /** Starts `count` workflows and returns how many seconds passed until all had ended. */
    async burst(count: number, concurrency: number): Promise<{ seconds: number }> {
      const before = await countEnded(endedUrl);
      const started = now();
      await Promise.all([
        poll(`${count} workflows`, BURST_POLL_MS, async () => (await countEnded(endedUrl)) === before + count),
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
      await poll(workflowId, SINGLE_POLL_MS, async () => {
        ended = await endOf(endedUrl, workflowId);
        return ended > 0;
      });
      return { workflowId, requested, ended, seen: now() };
    },
  };
}
export type BareSide = ReturnType<typeof createBareSide>;
