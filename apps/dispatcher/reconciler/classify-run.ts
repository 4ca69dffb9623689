/** Classification of a run that the reconciler has described. */
import type { RecoveryCause } from '../../../contract/statuses.ts';
import type { Config } from '../../../platform/config.ts';
import type { OpenRun, Run } from './describe-run.ts';

/** Why a run has to be replaced; null for a healthy one. */
export type LostReason = 'missing' | 'closed' | 'failing' | 'idle' | null;

/**
 * Returns why a run is lost: it is missing, closed, its workflow task keeps failing, or it is open with nothing pending
 * ("idle"). Our workflows wait for activities only, so an idle run never continues. Runs become idle when Temporal is
 * restored to an older state than a worker has cached.
 */
export function lostReason(run: Run, { RECONCILER_TASK_FAILURES: maxTaskFailures }: Config): LostReason {
  if (run.state !== 'open') return run.state;
  if (run.taskFailures >= maxTaskFailures) return 'failing';
  return !run.isWaiting && !isFailing(run) && run.activities === 0 && run.deliveries === 0 ? 'idle' : null;
}

/** Whether a workflow task or a write fails. That may pass by itself; it is repaired only when it lasts. */
function isFailing({ taskFailures, hasFailingWrite }: OpenRun): boolean {
  return taskFailures > 0 || hasFailingWrite;
}

/** Whether a run only fails and has nothing else pending. The reconciler stores since when. */
export function isStuck(run: Run): boolean {
  return run.state === 'open' && run.activities === 0 && isFailing(run);
}

/** `remind` sends the command of the generation again. */
export type SourceRunRepair = { action: 'none' } | { action: 'remind' } | { action: 'replace'; cause: RecoveryCause };

const none = { action: 'none' } as const;
const replace = (cause: RecoveryCause) => ({ action: 'replace', cause }) as const;

/**
 * Returns the repair for the run of a source that has not ended.
 * @param row of the source. `stuckSeconds`: for how long earlier checks have found the run stuck; null where they have
 *   not. `reminded`: the command of the generation was sent again.
 */
export function classifySourceRun(
  run: Run,
  row: { generation: number; stuckSeconds: number | null; reminded: boolean },
  config: Config,
): SourceRunRepair {
  const runGeneration = run.generation ?? 0;
  // The run has a generation that the database lacks: the database was restored from a backup.
  if (runGeneration > row.generation) return replace('ahead');
  const reason = lostReason(run, config);
  if (reason !== null && reason !== 'idle') return replace(reason);
  if (run.state !== 'open' || run.isWaiting) return none;
  if (isStuck(run)) {
    return (row.stuckSeconds ?? 0) >= config.RECONCILER_STUCK_SECONDS ? replace('stuck') : none;
  }
  const behind = runGeneration < row.generation;
  if (behind) {
    // It has handled the reminder, since no signal waits for a worker, and does not even begin the generation.
    return row.reminded && !run.isSynchronizing ? replace('behind') : { action: 'remind' };
  }
  // The run has nothing pending for the generation, deliveries aside.
  return run.activities > 0 ? none : replace('idle');
}
