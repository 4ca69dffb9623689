/** Time that this process computed, which other load on the machine hardly changes. */

/** Milliseconds of processor time that `work` took, which is synchronous. */
export function processorMs(work: () => unknown): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

/** What grows with the square takes 16 times as long for four times as much. */
const most = 8;

/**
 * Fails where `work` takes more than 8 times the processor time for four times the size. The shorter of up to three
 * measurements of each counts: what else the process does (compiling, collecting) only adds to them.
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
