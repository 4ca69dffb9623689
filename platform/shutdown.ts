/** The first SIGTERM or SIGINT ends a process in order; a second one ends it at once. */
export function onShutdownSignal(stop: () => void): void {
  let asked = false;
  const handle = () => {
    if (asked) process.exit(1);
    asked = true;
    stop();
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}
