/**
 * Cancels activities whose generation or round has ended or was superseded in the database. Database notifications make
 * that immediate, although heartbeats are rare. After a lost notification, the response to the next heartbeat cancels
 * the activity.
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
 * Delay from the first change to one query for all changes up to then. It gives the signal to the run a head start: if
 * the failed activity came first, the run would end before the signal arrives, and the signal would need another run.
 */
const COALESCE_MS = 200;
/** Delay before a failed query is repeated. */
const RETRY_MS = 1_000;

/** The failure of an activity whose generation or round is not the current one any more. */
export function superseded(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('A newer generation has taken the place of this one.', supersededFailure);
}

export interface WatchedFence {
  /** Aborted once every write with this fence is fenced out; the reason is the failure to throw. */
  readonly signal: AbortSignal;
  /** Ends the watch. */
  release(): void;
}

export interface FenceWatch {
  /** Watches `fence` for an activity of the run with this workflow id. */
  watch(workflowId: string, fence: Fence): WatchedFence;
  close(): Promise<void>;
}

interface Entry extends Fence {
  controller: AbortController;
}

/** Workflow id of the run that a change affects, or null for other changes. */
function runOf(change: Change): string | null {
  if (change.kind === 'source') return sourceWorkflowId(change.id);
  return change.kind === 'artifact' ? artifactWorkflowId(change.id) : null;
}

/** Watches the fences of all activities of the process, with one dedicated connection that listens. */
export function openFenceWatch(deps: {
  config: Pick<Config, 'DATABASE_URL'>;
  database: Database;
  logger: Logger;
  metrics: Metrics;
}): FenceWatch {
  const byRun = new Map<string, Set<Entry>>();
  const changed = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function scheduleCheck(afterMs: number): void {
    if (changed.size > 0 && !closed) timer ??= setTimeout(() => void checkChanged(), afterMs);
  }

  async function checkChanged(): Promise<void> {
    const entries = [...changed];
    changed.clear();
    let delayMs = COALESCE_MS;
    try {
      const ended = entries.length === 0 ? [] : await findFencedOut(deps.database.pool, entries);
      for (const { controller } of ended) controller.abort(superseded());
    } catch (error) {
      const trouble = dependencyTrouble(error);
      if (trouble !== null) reportTrouble(deps, trouble, error);
      else deps.logger.error({ event: 'fences.not_asked', err: error });
      for (const entry of entries) if (!entry.controller.signal.aborted) changed.add(entry);
      delayMs = RETRY_MS;
    }
    timer = undefined;
    scheduleCheck(delayMs);
  }

  function onChange(change: Change): void {
    const run = runOf(change);
    // After a lost connection, anything may have changed.
    const sets = change.kind === 'anything' ? byRun.values() : run === null ? [] : [byRun.get(run) ?? []];
    for (const set of sets) for (const entry of set) changed.add(entry);
    scheduleCheck(COALESCE_MS);
  }

  const listener = listenForChanges(deps.config.DATABASE_URL, deps.logger, onChange);
  return {
    watch(workflowId, fence) {
      const entry: Entry = { ...fence, controller: new AbortController() };
      const set = byRun.get(workflowId) ?? new Set();
      byRun.set(workflowId, set.add(entry));
      return {
        signal: entry.controller.signal,
        release() {
          changed.delete(entry);
          set.delete(entry);
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
