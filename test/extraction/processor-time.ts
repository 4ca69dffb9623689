/** Time that this process computed, which other load on the machine hardly changes. */

/** Milliseconds of processor time that `work` took, which is synchronous. */
export function processorMs(work: () => unknown): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
