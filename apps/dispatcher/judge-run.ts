/** What the reconciler makes of a run that it has described. */
import type { Config } from '../../platform/config.ts';
import type { Run } from './describe-run.ts';

/** Why a run has to be replaced; null for one that goes on by itself. */
type Loss = 'missing' | 'closed' | 'failing' | null;

/** A run is lost when there is none, when it is closed, or when no worker gets on with it. */
export function lossOf(run: Run, { RECONCILER_TASK_FAILURES: mostFailures }: Config): Loss {
  if (run.state !== 'open') return run.state;
  return run.taskFailures >= mostFailures ? 'failing' : null;
}

/** An open run that has nothing under way for its source, though it is not waiting for its turn at a worker. */
export function isIdle(run: Run): boolean {
  return run.state === 'open' && !run.waits && run.activities === 0;
}

/** `well` and `behind` go on, `behind` after a reminder; the others are replaced. */
export type SourceRunVerdict = Exclude<Loss, null> | 'ahead' | 'idle' | 'behind' | 'well';

/**
 * Judges the run of a source that has not ended by the generation of its row.
 * @param row `idleSince`: since when earlier looks saw the run do nothing.
 */
export function judgeSourceRun(
  run: Run,
  row: { generation: number; idleSince: Date | null },
  config: Config,
): SourceRunVerdict {
  const runGeneration = run.generation ?? 0;
  // The run knows a generation that the database does not: that was restored from a backup.
  if (runGeneration > row.generation) return 'ahead';
  const loss = lossOf(run, config);
  if (loss !== null) return loss;
  const idleMs = row.idleSince === null ? 0 : Date.now() - row.idleSince.getTime();
  if (isIdle(run) && idleMs >= config.RECONCILER_STUCK_SECONDS * 1_000) return 'idle';
  return runGeneration < row.generation && run.state === 'open' && !run.waits ? 'behind' : 'well';
}
