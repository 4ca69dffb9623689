/** Checks of the demo, run one after another; a failed one does not stop the later ones. */
import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';

export class Expectations {
  readonly #results: { text: string; failure: string | null }[] = [];

  /** Runs a check, described by `text`; it fails if `run` throws. */
  async check(text: string, run: () => Promise<void>): Promise<void> {
    let failure: string | null = null;
    try {
      await run();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    this.#results.push({ text, failure });
  }

  get allPassed(): boolean {
    return this.#results.every(({ failure }) => failure === null);
  }

  /** Returns a line for each check: a check mark, or a cross with the reason on a second line. */
  lines(): string[] {
    return this.#results.flatMap(({ text, failure }) =>
      failure === null
        ? [`  ${styleText('green', '✓')} ${text}`]
        : [`  ${styleText('red', '✗')} ${text}`, `      ${failure}`],
    );
  }
}

/** @throws Error with `message` unless `condition` is true. */
export function assertThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Polls `read` until it returns a defined value, which it returns. @throws Error that names `what` after `withinMs` */
export async function until<T>(what: string, read: () => T | undefined, withinMs: number): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = read();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`Timeout after ${withinMs / 1000} s: ${what}.`);
    await delay(20);
  }
}
