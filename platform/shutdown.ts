/** The first SIGTERM or SIGINT calls `stop`; a second one exits immediately with code 1. */
export function onShutdownSignal(stop: () => void): void {
  let stopping = false;
  const handle = () => {
    if (stopping) process.exit(1);
    stopping = true;
    stop();
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}
