/**
 * Runs that this dispatcher has started and no worker has begun, by owner. Runs beyond an owner's limit wait in the
 * outbox, where they cost nothing: a thousand concurrent runs would occupy Temporal and the workers, and delay the runs
 * of other owners.
 */
import type { Database } from '../../../db/orm.ts';
import { waitingSources } from '../../../db/queries/outbox/waiting-sources.ts';

/** A run that waits longer counts no more: busy workers are not the cause, and it must not block its owner's others. */
const MAX_WAIT_MS = 60_000;

export class WaitingRuns {
  readonly #limit: number;
  /** Owner id to source id to start time, a time of `performance.now()`. */
  readonly #byOwner = new Map<string, Map<string, number>>();
  /** Owners that reached the limit and are not yet down to half of it, so that runs are started in batches. */
  readonly #full = new Set<string>();

  /** @param limit Runs of an owner that may wait at the same time. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a run that was started and whose command was removed: a run with a command does not count as waiting. */
  add(ownerId: string, sourceId: string): void {
    const runs = this.#byOwner.get(ownerId) ?? new Map();
    this.#byOwner.set(ownerId, runs.set(sourceId, performance.now()));
    if (runs.size >= this.#limit) this.#full.add(ownerId);
  }

  /** Ids of owners for whom no further run may be started now. */
  get fullOwners(): string[] {
    return [...this.#full];
  }

  /** Removes the runs that no longer wait. Returns whether runs may be started again for some owner. */
  async refresh({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
    const all = [...this.#byOwner.values()].flatMap((runs) => [...runs.keys()]);
    if (all.length === 0) return false;
    const queriedAt = performance.now();
    const waiting = new Set(await waitingSources(pool, all));
    const fullBefore = this.#full.size;
    for (const [ownerId, runs] of this.#byOwner) {
      for (const [id, startedAt] of runs) {
        // Runs that were added during the query are not part of it.
        if (startedAt >= queriedAt) continue;
        if (!waiting.has(id) || startedAt < queriedAt - MAX_WAIT_MS) runs.delete(id);
      }
      if (runs.size === 0) this.#byOwner.delete(ownerId);
      if (runs.size <= this.#limit / 2) this.#full.delete(ownerId);
    }
    return this.#full.size < fullBefore;
  }
}
