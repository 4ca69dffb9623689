/** Whether documents can be isolated on this machine, found out by doing it. */
import { defaultLimits } from '../limits.ts';
import { type ProcessEnd, startProcess } from './process.ts';

const READY_WITHIN_MS = 60_000;
/** What our own short texts take is far below. */
const MEMORY_MB = 768;

const remedy =
  'Let the worker make user namespaces and mount in them (docs/operations.md, "Isolation", says how, also for ' +
  'containers), or set EXTRACTION_ISOLATION=none: hostile documents are then read with all rights of the worker.';
const slow = 'Start the worker where it gets more processor time.';

export class IsolationError extends Error {
  override readonly name = 'IsolationError';

  constructor(reason: string, advice: string) {
    super(
      `EXTRACTION_ISOLATION is "namespaces", but processes that read documents cannot be isolated here: ${reason}. ` +
        advice,
    );
  }
}

/**
 * Starts an isolated child as the pool does, has it read a few texts of our own and ends it. It leaves its compiled code
 * to the children of the pool, which may not write to where that lies.
 * @throws IsolationError where that fails; its message says why, what to do, and the setting
 */
export async function tryIsolation({ readyWithinMs = READY_WITHIN_MS } = {}): Promise<void> {
  if (process.platform !== 'linux') throw new IsolationError(`${process.platform} has no namespaces`, remedy);
  let isReady = false;
  const { description, isLate } = await new Promise<ProcessEnd>((resolve) => {
    const options = { memoryMb: MEMORY_MB, limits: defaultLimits, isolation: 'namespaces' as const, readyWithinMs };
    const trial = startProcess(
      { ...options, readsOurTextsAlone: true },
      {
        onReply: (reply) => {
          isReady = reply?.kind === 'ready';
          // It ends by itself, and so keeps what it has compiled.
          trial.finish();
        },
        onEnd: resolve,
      },
    );
  });
  if (isReady) return;
  if (isLate) throw new IsolationError(`a process was not ready within ${readyWithinMs / 1_000} s`, slow);
  throw new IsolationError(description, remedy);
}
