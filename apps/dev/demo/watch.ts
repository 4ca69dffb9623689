/** Polls the sources of a space with one list request at a time. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../client/index.ts';
import { until } from './expectations.ts';
import type { Screen, Source } from './screen.ts';

const POLL_MS = 250;
const END_TIMEOUT_MS = 45_000;

const finished: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELED'];

export class Watch {
  readonly #api: Client;
  readonly #spaceId: string;
  readonly #screen: Screen;
  readonly #stopping = new AbortController();
  #sources: Source[] = [];
  #polling: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(api: Client, spaceId: string, screen: Screen) {
    this.#api = api;
    this.#spaceId = spaceId;
    this.#screen = screen;
    this.#polling = this.#poll();
  }

  async #poll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.refresh().catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error(String(error));
      });
      await delay(POLL_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Reads and shows the list now. */
  async refresh(): Promise<void> {
    const { data } = await this.#api.sources.list.query({ spaceId: this.#spaceId });
    // The list is sorted by newest first.
    this.#sources = data.toReversed();
    this.#screen.show(this.#sources);
  }

  /** Waits until `condition` is true for the source in the list, and returns the source. */
  async waitFor(
    what: string,
    id: string,
    condition: (source: Source) => boolean,
    withinMs = END_TIMEOUT_MS,
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

  /** Waits until the source has ended `generation` or a newer one. @throws Error if it is not COMPLETED. */
  async complete(id: string, generation = 1): Promise<Source> {
    const source = await this.waitFor(
      `the source ends generation ${generation}`,
      id,
      (listed) => listed.generation >= generation && finished.includes(listed.status),
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
    await this.#polling;
  }
}
