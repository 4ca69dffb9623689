/**
 * Two signals within this time count as one: the child of npm receives Ctrl-C both from the terminal and from npm.
 */
const SAME_SIGNAL_MS = 1000;

/**
 * Returns a signal that the first SIGINT, SIGTERM or SIGHUP of this process aborts. A second one exits immediately with
 * code 130; the watchers of servers/process.ts then end the servers.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const handle = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      controller.abort();
    } else if (Date.now() - firstAt > SAME_SIGNAL_MS) {
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, handle);
  return controller.signal;
}

/** Resolves when `signal` is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
