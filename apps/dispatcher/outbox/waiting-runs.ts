/**
 * Runs that this dispatcher has started and no worker has got to, by owner. What an owner has more than some of waits in
 * the outbox, where it costs nothing: a thousand runs at once would keep Temporal and the workers busy with all of them,
 * and everybody else's would wait for that.
 */
import type { Database } from '../../../db/orm.ts';
import { waitingSources } from '../../../db/queries/outbox/waiting-sources.ts';

/** A run that waits for longer is not in front of busy workers: it does not keep its owner's others back. */
const MAX_WAIT_MS = 60_000;

export class WaitingRuns {
  readonly #most: number;
  /** When each of an owner's sources was started, by `performance.now()`. */
  readonly #byOwner = new Map<string, Map<string, number>>();
  /** From when they had as many waiting as may be until it is half of that: so they are not asked for one by one. */
  readonly #full = new Set<string>();

  /** @param most Runs of an owner that may wait at once. */
  constructor(most: number) {
    this.#most = most;
  }

  /** A run was started, and its command removed: one that has a command in the outbox does not count as waiting. */
  add(ownerId: string, sourceId: string): void {
    const runs = this.#byOwner.get(ownerId) ?? new Map();
    this.#byOwner.set(ownerId, runs.set(sourceId, performance.now()));
    if (runs.size >= this.#most) this.#full.add(ownerId);
  }

  /** Owners who may have no further run started now. */
  get fullOwners(): string[] {
    return [...this.#full];
  }

  /** Forgets the runs that do not wait any more. Returns whether an owner may have runs started again. */
  async refresh({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
    const all = [...this.#byOwner.values()].flatMap((runs) => [...runs.keys()]);
    if (all.length === 0) return false;
    const askedAt = performance.now();
    const waiting = new Set(await waitingSources(pool, all));
    const fullBefore = this.#full.size;
    for (const [ownerId, runs] of this.#byOwner) {
      for (const [id, startedAt] of runs) {
        // What was started during the query was not asked for.
        if (startedAt >= askedAt) continue;
        if (!waiting.has(id) || startedAt < askedAt - MAX_WAIT_MS) runs.delete(id);
      }
      if (runs.size === 0) this.#byOwner.delete(ownerId);
      if (runs.size <= this.#most / 2) this.#full.delete(ownerId);
    }
    return this.#full.size < fullBefore;
  }
}
