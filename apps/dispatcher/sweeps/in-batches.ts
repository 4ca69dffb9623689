const BATCH = 1_000;

/** Removes batch by batch until one was not full, so that no statement takes long; returns how much in all. */
export async function inBatches(signal: AbortSignal, remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  for (;;) {
    signal.throwIfAborted();
    const batch = await remove(BATCH);
    removed += batch;
    if (batch < BATCH) return removed;
  }
}
