/** What the reconciler makes of a run that it has described. */
import type { RecoveryCause } from '../../../contract/statuses.ts';
import type { Config } from '../../../platform/config.ts';
import type { OpenRun, Run } from './describe-run.ts';

/** Why a run has to be replaced; null for one that goes on by itself. */
export type Loss = 'missing' | 'closed' | 'failing' | 'idle' | null;

/**
 * A run is lost when there is none, when it is closed, when no worker gets on with its task, or when it is open and
 * nothing at all is pending in it. None of our workflows waits for anything but activities, so that last one never goes
 * on: it is what becomes of a run that a worker knows better than a Temporal that was put back to an older state.
 */
export function lostReason(run: Run, { RECONCILER_TASK_FAILURES: mostFailures }: Config): Loss {
  if (run.state !== 'open') return run.state;
  if (run.taskFailures >= mostFailures) return 'failing';
  return !run.waits && !hasTrouble(run) && run.activities === 0 && run.deliveries === 0 ? 'idle' : null;
}

/** What may pass by itself, and is only given up when it lasts: a task or a write that fails. */
function hasTrouble({ taskFailures, writeFails }: OpenRun): boolean {
  return taskFailures > 0 || writeFails;
}

/** Whether nothing is under way for the source but what keeps failing; noted from look to look. */
export function isStuck(run: Run): boolean {
  return run.state === 'open' && run.activities === 0 && hasTrouble(run);
}

/** A reminder sends the command of the generation again. */
export type SourceRunVerdict = { action: 'none' } | { action: 'remind' } | { action: 'replace'; cause: RecoveryCause };

const none = { action: 'none' } as const;
const replace = (cause: RecoveryCause) => ({ action: 'replace', cause }) as const;

/**
 * Judges the run of a source that has not ended by the generation of its row.
 * @param row `stuckSeconds`: for how long earlier looks have seen that it is stuck; `reminded`: it was told of the generation again.
 */
export function classifySourceRun(
  run: Run,
  row: { generation: number; stuckSeconds: number | null; reminded: boolean },
  config: Config,
): SourceRunVerdict {
  const runGeneration = run.generation ?? 0;
  // The run knows a generation that the database does not: that was restored from a backup.
  if (runGeneration > row.generation) return replace('ahead');
  const loss = lostReason(run, config);
  if (loss !== null && loss !== 'idle') return replace(loss);
  if (run.state !== 'open' || run.waits) return none;
  if (isStuck(run)) {
    return (row.stuckSeconds ?? 0) >= config.RECONCILER_STUCK_SECONDS ? replace('stuck') : none;
  }
  const behind = runGeneration < row.generation;
  if (run.activities > 0) return behind ? { action: 'remind' } : none;
  // Nothing is under way for the generation, whatever it still delivers, and no signal of it waits for a worker.
  if (behind) return row.reminded ? replace('behind') : { action: 'remind' };
  return replace('idle');
}
