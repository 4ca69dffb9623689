import type { DispatcherDependencies } from './dispatcher.ts';

/** What every question of one round of the reconciler works with. */
export interface Round extends DispatcherDependencies {
  /** After this time (ms since 1970) a question takes no further batch. */
  endsAt: number;
  /** Whether workers ask for work; Temporal is asked once in a round. */
  workersPoll(): Promise<boolean>;
}
