/** Whether documents can be isolated on this machine, found out by doing it. */
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { defaultLimits } from '../limits.ts';
import { isReply } from './messages.ts';
import { launchChild } from './process.ts';

const READY_WITHIN_MS = 60_000;
/** What our own short texts take is far below. */
const MEMORY_MB = 768;

export class IsolationError extends Error {
  override readonly name = 'IsolationError';
}

/**
 * Starts an isolated child as the pool does, has it read a few texts of our own and ends it. It leaves its compiled code
 * to the children of the pool, which may not write to where that lies.
 * @throws IsolationError where the machine does not let us isolate; its message says why, what to do, and the setting
 */
export async function tryIsolation(): Promise<void> {
  const reason = await failureToIsolate();
  if (reason === null) return;
  throw new IsolationError(
    `EXTRACTION_ISOLATION is "namespaces", but processes that read documents cannot be isolated here: ${reason}. ` +
      'Let the worker make user namespaces and mount in them (docs/operations.md, "Isolation", says how, also for ' +
      'containers), or set EXTRACTION_ISOLATION=none: hostile documents are then read with all rights of the worker.',
  );
}

/** Null where it works. */
async function failureToIsolate(): Promise<string | null> {
  if (process.platform !== 'linux') return `${process.platform} has no namespaces`;
  try {
    return await startOnce();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function startOnce(): Promise<string | null> {
  const { child } = launchChild({ memoryMb: MEMORY_MB, limits: defaultLimits, isolation: 'namespaces' }, true);
  let stderr = '';
  let isReady = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2_000);
  });
  child.on('message', (message: unknown) => {
    if (!isReply(message) || message.kind !== 'ready') return;
    isReady = true;
    // It ends by itself, and so keeps what it has compiled.
    child.disconnect();
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), READY_WITHIN_MS);
  // Not 'close': it does not come after a disconnect of ours.
  const ends = [once(child, 'exit'), ...(child.stderr === null ? [] : [finished(child.stderr)])];
  await Promise.all(ends).finally(() => clearTimeout(timer));
  const code = child.exitCode;
  if (isReady && code === 0) return null;
  return stderr.trim().replace(/\s*\n\s*/g, '; ') || `its process ended with code ${code}`;
}
