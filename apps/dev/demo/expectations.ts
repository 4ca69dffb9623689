/** What the demo expects of the service, checked one after another; a failed one does not hide the later ones. */
import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';

export class Expectations {
  readonly #outcomes: { text: string; failure: string | null }[] = [];

  /** Expects what `text` says: that `check` does not throw. */
  async hold(text: string, check: () => Promise<void>): Promise<void> {
    let failure: string | null = null;
    try {
      await check();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    this.#outcomes.push({ text, failure });
  }

  get allHeld(): boolean {
    return this.#outcomes.every(({ failure }) => failure === null);
  }

  /** A line for each expectation, with a check mark or a cross and the reason. */
  lines(): string[] {
    return this.#outcomes.flatMap(({ text, failure }) =>
      failure === null
        ? [`  ${styleText('green', '✓')} ${text}`]
        : [`  ${styleText('red', '✗')} ${text}`, `      ${failure}`],
    );
  }
}

/** @throws Error with `message` unless `condition` holds. */
export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Asks until `look` returns something other than undefined. @throws Error saying `what` did not come about. */
export async function until<T>(what: string, look: () => T | undefined, withinMs: number): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain: ${what}.`);
    await delay(20);
  }
}
