/** CPU time of this process, which other load on the machine hardly affects. */

/** Returns the milliseconds of CPU time of `work`, which must be synchronous. */
export function processorMs(work: () => unknown): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

/** Quadratic time would be 16 times as long for four times the size. */
const most = 8;

/**
 * Fails if `work` takes more than 8 times the CPU time for four times the size. The shortest of up to three
 * measurements counts, since compilation and garbage collection only add to them.
 */
export function expectLinear(work: (size: number) => unknown, size: number): void {
  let small = Number.POSITIVE_INFINITY;
  let large = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && !(large < small * most); attempt += 1) {
    small = Math.min(
      small,
      processorMs(() => work(size)),
    );
    large = Math.min(
      large,
      processorMs(() => work(size * 4)),
    );
  }
  expect(large / small).toBeLessThan(most);
}
