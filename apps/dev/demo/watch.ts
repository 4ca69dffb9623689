/** Follows all sources of a space with one request at a time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../client/index.ts';
import { until } from './expectations.ts';
import type { Screen, Source } from './screen.ts';

/** Spares the budget of 100 requests a minute. */
const POLL_MS = 250;
const ENDS_WITHIN_MS = 45_000;

const finished: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELED'];

export class Watch {
  readonly #api: Client;
  readonly #spaceId: string;
  readonly #screen: Screen;
  readonly #stopping = new AbortController();
  #sources: Source[] = [];
  #following: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(api: Client, spaceId: string, screen: Screen) {
    this.#api = api;
    this.#spaceId = spaceId;
    this.#screen = screen;
    this.#following = this.#follow();
  }

  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.look().catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error(String(error));
      });
      await delay(POLL_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Reads the list now. */
  async look(): Promise<void> {
    const { data } = await this.#api.sources.list.query({ spaceId: this.#spaceId });
    // Lists begin with the newest.
    this.#sources = data.toReversed();
    this.#screen.show(this.#sources);
  }

  /** Waits until `condition` holds for the source as the list shows it, and returns that. */
  async see(
    what: string,
    id: string,
    condition: (source: Source) => boolean,
    withinMs = ENDS_WITHIN_MS,
  ): Promise<Source> {
    return until(
      what,
      () => {
        if (this.#failure !== undefined) throw this.#failure;
        return this.#sources.find((source) => source.id === id && condition(source));
      },
      withinMs,
    );
  }

  /** Waits until the source has ended a generation no older than `generation`. @throws Error when it is not COMPLETED. */
  async complete(id: string, generation = 1): Promise<Source> {
    const source = await this.see(
      `the source ends generation ${generation}`,
      id,
      (seen) => seen.generation >= generation && finished.includes(seen.status),
    );
    if (source.status === 'COMPLETED') return source;
    const { error } = source;
    throw new Error(`It is ${source.status}${error === null ? '' : `, ${error.code}: ${error.message}`}`);
  }

  get sources(): readonly Source[] {
    return this.#sources;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }
}
