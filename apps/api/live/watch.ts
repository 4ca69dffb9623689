/** One open long poll or event stream: its pending changes, and its end. */
import type { Change } from '../../../db/changes.ts';
import { unauthorized } from '../errors.ts';

/** Why a watch ended: its key became invalid, its client disconnected, the process shuts down, or it is done. */
export type WatchEnd = 'key' | 'client' | 'closing' | 'done';

/** Changes since the last call of `next`. */
export interface PendingChanges {
  sourceIds: string[];
  /** More may have changed than these sources. */
  recheckAll: boolean;
}

export class Watch {
  readonly keyId: string;
  readonly userId: string;
  readonly #onEnd: () => void;
  #sourceIds = new Set<string>();
  #recheckAll = false;
  #end: WatchEnd | null = null;
  #wake: (() => void) | undefined;

  constructor(of: { keyId: string; userId: string }, onEnd: () => void) {
    this.keyId = of.keyId;
    this.userId = of.userId;
    this.#onEnd = onEnd;
  }

  notify(change: Change): void {
    if (change.kind === 'source') this.#sourceIds.add(change.id);
    else this.#recheckAll = true;
    this.#wake?.();
  }

  /** Ends the watch and frees its place among the owner's watches; later calls have no effect. */
  end(reason: WatchEnd): void {
    if (this.#end !== null) return;
    this.#end = reason;
    this.#onEnd();
    this.#wake?.();
  }

  /** Whether the watch ended because the process shuts down, so that its client should reconnect. */
  get closing(): boolean {
    return this.#end === 'closing';
  }

  /**
   * Waits for changes since the last call and returns them; null when the watch has ended, or at `deadline` (in
   * milliseconds since 1970, like Date.now()).
   * @throws AppError 401 when its key was deleted or has expired, or its user was disabled
   */
  async next(deadline?: number): Promise<PendingChanges | null> {
    if (this.#end === null && !this.#hasChanges) await this.#wait(deadline);
    if (this.#end === 'key') throw unauthorized();
    if (this.#end !== null || !this.#hasChanges) return null;
    const changes = { sourceIds: [...this.#sourceIds], recheckAll: this.#recheckAll };
    this.#sourceIds = new Set();
    this.#recheckAll = false;
    return changes;
  }

  get #hasChanges(): boolean {
    return this.#recheckAll || this.#sourceIds.size > 0;
  }

  async #wait(deadline: number | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (deadline !== undefined) timer = setTimeout(resolve, Math.max(deadline - Date.now(), 0));
    });
    this.#wake = undefined;
    clearTimeout(timer);
  }
}
