/**
 * What a run knows of its source, folded by generation: the order in which signals arrive and how often they are
 * repeated makes no difference.
 */
export interface SourceRunState {
  /** The newest generation that was heard of. */
  known: number;
  /** The newest generation that this run has dealt with. */
  done: number;
  /** The newest generation that was canceled. */
  canceled: number;
  /** How often the run was asked to look for owed postbacks, and how often it has looked. */
  asked: number;
  looked: number;
}

/** The state of a fresh run, or of one that continues another, which looks for what that one was delivering. */
export function initialState(input: { generation: number; continued?: { done: number } }): SourceRunState {
  const done = input.continued?.done ?? 0;
  return { known: Math.max(input.generation, done), done, canceled: 0, asked: input.continued ? 1 : 0, looked: 0 };
}

/** A generation was started. True when it is news, so that what runs is superseded. */
export function applyGeneration(state: SourceRunState, generation: number): boolean {
  if (generation <= state.known) return false;
  state.known = generation;
  return true;
}

/**
 * A generation was canceled. True when what runs has to stop. A cancel may overtake the signal of its own
 * generation, so one from the future is adopted; one from the past is stale.
 */
export function applyCancel(state: SourceRunState, generation: number): boolean {
  if (generation < state.known) return false;
  state.known = generation;
  state.canceled = Math.max(state.canceled, generation);
  return true;
}

/**
 * The database knows of no generation beyond `generation`: what was heard of a later one was a mistake, sent by hand.
 * Forgets it, so that the real one is news when it comes, and takes `generation` up again, which it may have broken off.
 */
export function rollBackTo(state: SourceRunState, generation: number): void {
  state.known = generation;
  state.done = generation - 1;
  state.canceled = 0;
}
