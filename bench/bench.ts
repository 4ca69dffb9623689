/** Common frame of all benches: prints the machine and stops everything that was started, also on failure. */
import { cpus, loadavg, totalmem } from 'node:os';
import { createResources, type Resources } from './runs/stack.ts';

function describeMachine(): string {
  const [load = 0] = loadavg();
  const cores = cpus().length;
  const busy = load > cores / 4 ? ' The machine is busy: use the figures as a smoke test only.' : '';
  return `${new Date().toISOString()}, ${cores} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${load.toFixed(2)}.${busy}`;
}

/** Runs `work`, stops all its resources and exits: 0 on success, 1 on failure, 130 on Ctrl-C. */
export async function runBench(work: (resources: Resources) => Promise<void>): Promise<never> {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) process.exit(130);
      console.log('Stopping the servers. Press Ctrl-C again to exit immediately.');
      interrupted.abort();
    });
  }
  const untilInterrupted = new Promise<void>((resolve) => {
    interrupted.signal.addEventListener('abort', () => resolve());
  });
  let exitCode = 0;
  const resources = createResources(interrupted.signal);
  try {
    console.log(describeMachine());
    await Promise.race([work(resources), untilInterrupted]);
  } catch (error) {
    if (!interrupted.signal.aborted) {
      console.error(error instanceof Error ? error.message : error);
      exitCode = 1;
    }
  } finally {
    await resources.releaseAll();
  }
  process.exit(interrupted.signal.aborted ? 130 : exitCode);
}
