/** Retry delays of commands that could not be sent, and detection that Temporal as a whole is away. */

/** Distinct commands that failed with none sent in between, after which Temporal counts as away. */
const FAILING_WHEN_AWAY = 3;
/** Pause between sends while Temporal is away, so that a full outbox does not flood it. */
const AWAY_PAUSE_SECONDS = 1;
/** Longest retry delay of a command that fails while others are sent. */
const MAX_DELAY_SECONDS = 30;

export class BackOff {
  /** Ids of commands that failed since one was sent; at most FAILING_WHEN_AWAY. */
  readonly #failing = new Set<number>();
  /** Also true before the first command. */
  #needsCheck = true;
  /** A time of `performance.now()`. */
  #pausedUntil = 0;

  /** Whether Temporal counts as away: no command can be sent. */
  get isAway(): boolean {
    return this.#failing.size >= FAILING_WHEN_AWAY;
  }

  /** Whether Temporal has to be checked before the next command is claimed. */
  get needsCheck(): boolean {
    return this.#needsCheck || this.isAway;
  }

  /** Whether nothing may be claimed or sent now. */
  get isPaused(): boolean {
    return performance.now() < this.#pausedUntil;
  }

  /** Records the result of a check of Temporal. After a failed one there is a pause before the next. */
  checked(isReachable: boolean): void {
    this.#needsCheck = !isReachable;
    if (!isReachable) this.#pause();
  }

  /** Records that a command was sent. */
  sent(): void {
    this.#failing.clear();
    this.#needsCheck = false;
  }

  /** Seconds until the next attempt of a command that Temporal itself has rejected `refusals` times. */
  delayAfterRefusals(refusals: number): number {
    return Math.min(2 ** Math.min(refusals, 10), MAX_DELAY_SECONDS);
  }

  /**
   * Seconds until the next attempt of a command that failed by dependency trouble in its attempt number `attempts`. A
   * single command that keeps failing, such as one for a run in a stuck shard, never makes Temporal count as away.
   */
  delayAfterTrouble(commandId: number, attempts: number): number {
    this.#needsCheck = true;
    if (!this.isAway) this.#failing.add(commandId);
    if (!this.isAway) return this.delayAfterRefusals(attempts);
    this.#pause();
    return AWAY_PAUSE_SECONDS;
  }

  #pause(): void {
    this.#pausedUntil = performance.now() + AWAY_PAUSE_SECONDS * 1_000;
  }
}
