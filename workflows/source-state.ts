/**
 * The state of a source's run. Signals are folded by generation number, so their order and repetition make no
 * difference.
 */
export interface SourceRunState {
  /** The newest generation that the input or a signal named. */
  known: number;
  /** The newest generation that this run has finished. */
  done: number;
  /** The newest generation that a cancel signal named; 0 without one. */
  canceled: number;
  /** `deliver` signals received, and how many of them were covered by the last listing of pending postbacks. */
  deliveriesRequested: number;
  deliveriesListed: number;
}

/** The state of a first run, or of a continued one, which first lists the postbacks that its predecessor delivered. */
export function initialState(input: { generation: number; continued?: { done: number } }): SourceRunState {
  const done = input.continued?.done ?? 0;
  return {
    known: Math.max(input.generation, done),
    done,
    canceled: 0,
    deliveriesRequested: input.continued ? 1 : 0,
    deliveriesListed: 0,
  };
}

/** Records a started generation. Returns true when it is new, so the running one is superseded. */
export function applyGeneration(state: SourceRunState, generation: number): boolean {
  if (generation <= state.known) return false;
  state.known = generation;
  return true;
}

/**
 * Records a canceled generation. Returns true when the running one must stop. A cancel may overtake the signal that
 * starts its generation, so a newer generation is adopted; a cancel of an older one is stale and ignored.
 */
export function applyCancel(state: SourceRunState, generation: number): boolean {
  if (generation < state.known) return false;
  state.known = generation;
  state.canceled = Math.max(state.canceled, generation);
  return true;
}

/**
 * Discards later generations than `generation`, the newest in the database: a signal sent by hand had named them. The
 * real next generation then counts as new, and `generation` runs again, since that signal may have interrupted it.
 */
export function rollBackTo(state: SourceRunState, generation: number): void {
  state.known = generation;
  state.done = generation - 1;
  state.canceled = 0;
}
