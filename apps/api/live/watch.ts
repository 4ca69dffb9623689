/** One open wait or event stream: what it hears, and how it ends. */
import type { Change } from '../../../db/changes.ts';
import { unauthorized } from '../errors.ts';

/** Why a watch is over: its key is gone, its client is, the process ends, or its owner is done with it. */
export type WatchEnd = 'key' | 'client' | 'closing' | 'done';

/** What was heard since the last look. */
export interface Heard {
  sourceIds: string[];
  /** More may have changed than these sources. */
  lookAtAll: boolean;
}

export class Watch {
  readonly keyId: string;
  readonly userId: string;
  readonly #onEnd: () => void;
  #sourceIds = new Set<string>();
  #lookAtAll = false;
  #end: WatchEnd | null = null;
  #wake: (() => void) | undefined;

  constructor(of: { keyId: string; userId: string }, onEnd: () => void) {
    this.keyId = of.keyId;
    this.userId = of.userId;
    this.#onEnd = onEnd;
  }

  hear(change: Change): void {
    if (change.kind === 'source') this.#sourceIds.add(change.id);
    else this.#lookAtAll = true;
    this.#wake?.();
  }

  /** Ends the watch, the first time that it is called, and gives its place free. */
  end(reason: WatchEnd): void {
    if (this.#end !== null) return;
    this.#end = reason;
    this.#onEnd();
    this.#wake?.();
  }

  /** Whether it ended because the process does: clients do well to connect again. */
  get closing(): boolean {
    return this.#end === 'closing';
  }

  /**
   * What was heard since the last call, as soon as there is something; null once the watch is over, or at `deadline`
   * (milliseconds as Date.now() counts them).
   * @throws AppError 401 when its key was deleted, expired, or its user disabled.
   */
  async next(deadline?: number): Promise<Heard | null> {
    if (this.#end === null && !this.#heardAnything) await this.#wait(deadline);
    if (this.#end === 'key') throw unauthorized();
    if (this.#end !== null || !this.#heardAnything) return null;
    const heard = { sourceIds: [...this.#sourceIds], lookAtAll: this.#lookAtAll };
    this.#sourceIds = new Set();
    this.#lookAtAll = false;
    return heard;
  }

  get #heardAnything(): boolean {
    return this.#lookAtAll || this.#sourceIds.size > 0;
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
