/**
 * Room for work inside workflow tasks. A local activity holds one of its worker's few slots for workflow tasks until it
 * ends, and every run of the worker needs these. So such work may hold only some of them, and must begin at once.
 * Otherwise it is done as a regular activity, which waits in Temporal's queue, where the owners take turns.
 */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** Longest wait for an extraction child. */
const WAIT_LIMIT_MS = 250;

export interface TaskPlace {
  /** Aborted when work that has not begun yet should not begin any more. */
  readonly waitSignal: AbortSignal;
  leave(): void;
}

/** The places of one worker process. */
export class TaskRoom {
  readonly #places: number;
  #taken = 0;

  /** @param places Slots for workflow tasks that such work may hold at the same time. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Takes a place for a local activity; null in a regular one. @throws ApplicationFailure when all are taken */
  enter(): TaskPlace | null {
    if (!activityInfo().isLocal) return null;
    if (this.#taken >= this.#places) throw noRoom();
    this.#taken += 1;
    const wait = new AbortController();
    const timer = setTimeout(() => wait.abort(noRoom()), WAIT_LIMIT_MS);
    return {
      waitSignal: wait.signal,
      leave: () => {
        clearTimeout(timer);
        this.#taken -= 1;
      },
    };
  }
}

function noRoom(): ApplicationFailure {
  return ApplicationFailure.create({ type: 'NoRoom', message: 'The worker has no room for this in a workflow task.' });
}
