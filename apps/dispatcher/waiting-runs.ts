/**
 * Runs that this dispatcher has started and no worker has got to, by owner. What an owner has more than some of waits in
 * the outbox, where it costs nothing: a thousand runs at once would keep Temporal and the workers busy with all of them,
 * and everybody else's would wait for that.
 */
import type { Database } from '../../db/orm.ts';
import { waitingSources } from '../../db/queries/waiting-sources.ts';

export class WaitingRuns {
  readonly #most: number;
  readonly #byOwner = new Map<string, Set<string>>();

  /** @param most Runs of an owner that may wait at once. */
  constructor(most: number) {
    this.#most = most;
  }

  add(ownerId: string, sourceId: string): void {
    const runs = this.#byOwner.get(ownerId) ?? new Set();
    this.#byOwner.set(ownerId, runs.add(sourceId));
  }

  /** Owners who may have no further run started now. */
  get fullOwners(): string[] {
    return [...this.#byOwner].filter(([, runs]) => runs.size >= this.#most).map(([ownerId]) => ownerId);
  }

  /** Forgets the runs that do not wait any more. */
  async refresh({ pool }: Pick<Database, 'pool'>): Promise<void> {
    const all = [...this.#byOwner.values()].flatMap((runs) => [...runs]);
    if (all.length === 0) return;
    const waiting = new Set(await waitingSources(pool, all));
    for (const id of all) if (!waiting.has(id)) this.#forget(id);
  }

  #forget(sourceId: string): void {
    for (const [ownerId, runs] of this.#byOwner) {
      if (runs.delete(sourceId) && runs.size === 0) this.#byOwner.delete(ownerId);
    }
  }
}
