/** Calls `work` for 0 to `count - 1`, in order, with at most `limit` concurrent calls. Stops at the first failure. */
export async function inFlight(count: number, limit: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  async function lane(): Promise<void> {
    try {
      while (next < count && !failed) await work(next++);
    } catch (error) {
      failed = true;
      throw error;
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, count) }, lane));
}
