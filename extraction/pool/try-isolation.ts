/** Checks by a trial whether extraction processes can be isolated on this machine. */
import { defaultLimits } from '../limits.ts';
import { type ProcessEnd, startProcess } from './process.ts';

const START_TIMEOUT_MS = 60_000;
/** Far more than the built-in sample texts need. */
const MEMORY_MB = 768;

const remedy =
  'Allow the worker to create user namespaces and to mount in them (see "Isolation" in docs/operations.md, also for ' +
  'containers), or set EXTRACTION_ISOLATION=none: hostile documents are then read with all rights of the worker.';
const slowRemedy = 'Give the worker more processor time.';

export class IsolationError extends Error {
  override readonly name = 'IsolationError';

  constructor(reason: string, advice: string) {
    super(
      `EXTRACTION_ISOLATION is "namespaces", but extraction processes cannot be isolated on this machine: ${reason}. ` +
        advice,
    );
  }
}

/**
 * Starts an isolated child as the pool does and ends it once it has read the built-in sample texts. It fills the
 * compile
 * cache for the children of the pool, which may only read it.
 * @throws IsolationError where the child does not become ready; its message has the reason, the setting and a remedy
 */
export async function tryIsolation({ readyWithinMs = START_TIMEOUT_MS } = {}): Promise<void> {
  if (process.platform !== 'linux') throw new IsolationError(`${process.platform} has no namespaces`, remedy);
  let isReady = false;
  const { description, isStartTimeout } = await new Promise<ProcessEnd>((resolve) => {
    const options = { memoryMb: MEMORY_MB, limits: defaultLimits, isolation: 'namespaces' as const, readyWithinMs };
    const trial = startProcess(
      { ...options, mayWriteCompileCache: true },
      {
        onReply: (reply) => {
          isReady = reply?.kind === 'ready';
          // Not killed: Node writes its compile cache at a normal exit.
          trial.finish();
        },
        onEnd: resolve,
      },
    );
  });
  if (isReady) return;
  if (isStartTimeout) throw new IsolationError(`a process was not ready within ${readyWithinMs / 1_000} s`, slowRemedy);
  throw new IsolationError(description, remedy);
}
