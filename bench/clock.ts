/** Milliseconds since 1970 with fractions; comparable between processes of one machine. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
