/** What every bench has in common: it says what it runs on, and ends what it started, whatever happens. */
import { cpus, loadavg, totalmem } from 'node:os';
import { createHolder, type Holder } from './runs/stack.ts';

function machine(): string {
  const [load = 0] = loadavg();
  const cores = cpus().length;
  const busy = load > cores / 4 ? ' Something else is running: the figures are only a smoke test.' : '';
  return `${new Date().toISOString()}, ${cores} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${load.toFixed(2)}.${busy}`;
}

/** Runs `work` and exits: 0, 1 for a failure, 130 for Ctrl-C; by then everything that it holds has ended. */
export async function runBench(work: (holder: Holder) => Promise<void>): Promise<never> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) process.exit(130);
      console.log('Ending the servers; once more leaves at once.');
      interrupted.abort();
    });
  }
  const untilInterrupted = new Promise<void>((resolve) => {
    interrupted.signal.addEventListener('abort', () => resolve());
  });
  let exitCode = 0;
  const holder = createHolder(interrupted.signal);
  try {
    console.log(machine());
    await Promise.race([work(holder), untilInterrupted]);
  } catch (error) {
    if (!interrupted.signal.aborted) {
      console.error(error instanceof Error ? error.message : error);
      exitCode = 1;
    }
  } finally {
    await holder.release();
  }
  process.exit(interrupted.signal.aborted ? 130 : exitCode);
}
