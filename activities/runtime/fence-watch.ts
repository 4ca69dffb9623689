/**
 * Stops activities whose generation or round has ended or was superseded in the database. A worker hears of changes from
 * the database's notifications, so that a cancel stops work at once although heartbeats are seldom; where a notification
 * gets lost, the answer to the next heartbeat says the same.
 */
import { ApplicationFailure } from '@temporalio/common';
import { artifactWorkflowId, sourceWorkflowId, supersededFailure } from '../../contract/commands.ts';
import { type Change, listenForChanges } from '../../db/changes.ts';
import type { Database } from '../../db/orm.ts';
import { type Fence, findFencedOut } from '../../db/queries/generations/fenced-out.ts';
import type { Config } from '../../platform/config.ts';
import { dependencyTrouble, reportTrouble } from '../../platform/dependency-trouble.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';

/**
 * From the first change to the query about all that have changed by then. It gives the signal to the run a head start:
 * a run that learns of its cancel from the failed activity first is done before the signal comes, which then needs
 * another run.
 */
const GATHER_MS = 200;
/** Until the query is repeated that the database did not answer. */
const RETRY_MS = 1_000;

/** Ends an activity whose generation or round is not the current one any more. What follows is in the database. */
export function superseded(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('A newer generation has taken the place of this one.', supersededFailure);
}

export interface Followed {
  /** Aborted, with the failure by which the activity is to end, once nothing would be written for the fence any more. */
  readonly signal: AbortSignal;
  /** Ends the watch. */
  release(): void;
}

export interface FenceWatch {
  /** Watches `fence` for an activity of the run with this workflow id. */
  follow(workflowId: string, fence: Fence): Followed;
  close(): Promise<void>;
}

interface Watched extends Fence {
  controller: AbortController;
}

/** The run that a change is about, or null where none has to be stopped for it. */
function runOf(change: Change): string | null {
  if (change.kind === 'source') return sourceWorkflowId(change.id);
  return change.kind === 'artifact' ? artifactWorkflowId(change.id) : null;
}

/** Listens with one connection of its own, for all activities of the process. */
export function openFenceWatch(deps: {
  config: Pick<Config, 'DATABASE_URL'>;
  database: Database;
  logger: Logger;
  metrics: Metrics;
}): FenceWatch {
  const byRun = new Map<string, Set<Watched>>();
  const changed = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function askSoon(afterMs: number): void {
    if (changed.size > 0 && !closed) timer ??= setTimeout(() => void ask(), afterMs);
  }

  async function ask(): Promise<void> {
    const asked = [...changed];
    changed.clear();
    let pauseMs = GATHER_MS;
    try {
      const ended = asked.length === 0 ? [] : await findFencedOut(deps.database.pool, asked);
      for (const { controller } of ended) controller.abort(superseded());
    } catch (error) {
      const trouble = dependencyTrouble(error);
      if (trouble !== null) reportTrouble(deps, trouble, error);
      else deps.logger.error({ event: 'fences.not_asked', err: error });
      for (const watched of asked) if (!watched.controller.signal.aborted) changed.add(watched);
      pauseMs = RETRY_MS;
    }
    timer = undefined;
    askSoon(pauseMs);
  }

  function hear(change: Change): void {
    const run = runOf(change);
    // After a connection was lost, anything may have changed.
    const sets = change.kind === 'anything' ? byRun.values() : run === null ? [] : [byRun.get(run) ?? []];
    for (const set of sets) for (const watched of set) changed.add(watched);
    askSoon(GATHER_MS);
  }

  const listener = listenForChanges(deps.config.DATABASE_URL, deps.logger, hear);
  return {
    follow(workflowId, fence) {
      const watched: Watched = { ...fence, controller: new AbortController() };
      const set = byRun.get(workflowId) ?? new Set();
      byRun.set(workflowId, set.add(watched));
      return {
        signal: watched.controller.signal,
        release() {
          changed.delete(watched);
          set.delete(watched);
          if (set.size === 0 && byRun.get(workflowId) === set) byRun.delete(workflowId);
        },
      };
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await listener.close();
    },
  };
}
