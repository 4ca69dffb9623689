/** Milliseconds since 1970 with their fractions, comparable with the times of other processes on this machine. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
