/** When commands that could not be sent are tried again, and when Temporal as a whole counts as away. */

/** So many commands that failed, and none that was sent in between: then Temporal counts as away. */
const FAILING_WHEN_AWAY = 3;
/** While Temporal is away, so that a full outbox does not hammer it. */
const AWAY_PAUSE_SECONDS = 1;
/** Of a command that fails while others are sent. */
const MAX_SECONDS = 30;

export class BackOff {
  /** Commands that failed since one was sent; no more of them than count. */
  readonly #failing = new Set<number>();
  /** Also before the first command. */
  #doubtful = true;
  /** By `performance.now()`. */
  #pausedUntil = 0;

  /** Nothing at all can be sent. */
  get isAway(): boolean {
    return this.#failing.size >= FAILING_WHEN_AWAY;
  }

  /** Whether Temporal has to be asked if it is there before the next command is taken. */
  get isDoubtful(): boolean {
    return this.#doubtful || this.isAway;
  }

  /** Nothing is to be tried now. */
  get isPaused(): boolean {
    return performance.now() < this.#pausedUntil;
  }

  /** Temporal was asked whether it is there. While it does not answer, there is a pause before each question. */
  asked(answers: boolean): void {
    this.#doubtful = !answers;
    if (!answers) this.#pause();
  }

  /** A command was sent. */
  sent(): void {
    this.#failing.clear();
    this.#doubtful = false;
  }

  /** Seconds until the next try of a command that Temporal refused so often for what it is. */
  afterRefusals(refusals: number): number {
    return Math.min(2 ** Math.min(refusals, 10), MAX_SECONDS);
  }

  /**
   * Seconds until the next try of a command that met trouble, by how often it was tried. One that Temporal cannot take,
   * such as that of a run whose shard is stuck, waits alone, however often it fails.
   */
  afterTrouble(commandId: number, attempts: number): number {
    this.#doubtful = true;
    if (!this.isAway) this.#failing.add(commandId);
    if (!this.isAway) return this.afterRefusals(attempts);
    this.#pause();
    return AWAY_PAUSE_SECONDS;
  }

  #pause(): void {
    this.#pausedUntil = performance.now() + AWAY_PAUSE_SECONDS * 1_000;
  }
}
