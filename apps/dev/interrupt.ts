/**
 * npm hands the Ctrl-C of a terminal on to its child, which has had it from the terminal already: two signals within
 * this time are one.
 */
const SAME_MS = 1000;

/**
 * A signal that is aborted by the first Ctrl-C, SIGTERM or hang-up of this process, and then stays to be acted on;
 * a second one ends the process at once, and watchers end its servers.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const handle = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      controller.abort();
    } else if (Date.now() - firstAt > SAME_MS) {
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, handle);
  return controller.signal;
}

/** Resolves once `signal` is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
