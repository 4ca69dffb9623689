/** Clients of several users, who act at random over HTTP. */
import { setTimeout as delay } from 'node:timers/promises';
import { createChance } from './chance.ts';
import { type History, sourceActions } from './history.ts';
import { createOtherClients, otherKinds, startSpaceClient } from './other-actions.ts';
import type { Outside } from './outside.ts';
import type { Actor, StormUser } from './requests.ts';
import { createSourceClients } from './source-actions.ts';

const weighted = [...sourceActions, 'bulk', ...otherKinds] as const;
/** Each as often as its weight says. */
const weights: Record<(typeof weighted)[number], number> = {
  ...{ create: 5, cancel: 2, reprocess: 2, refresh: 3, update: 2, delete: 0.6, restore: 0.7, bulk: 1.5 },
  ...{ process: 1.5, promote: 1.5, ticket: 0.6, wait: 1, stream: 0.4 },
};
/** The floors that each helps to reach. */
const floorOf: Record<(typeof weighted)[number], string> = {
  ...{ create: 'accepted create', cancel: 'accepted cancel', reprocess: 'accepted reprocess' },
  ...{ refresh: 'accepted refresh', update: 'accepted update', delete: 'accepted delete', restore: 'accepted restore' },
  ...{ bulk: 'accepted in bulk', process: 'accepted process artifact', promote: 'accepted promote artifact' },
  ...{ ticket: 'accepted create ticket', wait: 'accepted wait for a source', stream: 'accepted stream a source' },
};
/** Of an action whose floor is not reached yet. */
const PREFERENCE = 3;
export const clientActions = [...weighted, 'spaces'] as const;

export interface Clients {
  /** Resolves when every client has done its last action. */
  done: Promise<void>;
  /** Sends every create and ticket again that was never answered, until it is. @throws once `signal` is aborted. */
  askAgain(signal: AbortSignal): Promise<void>;
}

/**
 * Lets `count` clients of each user do what `actions` names until `signal` is aborted, and after that only what `isBelow`
 * says is still to be reached, until `last` is aborted.
 */
export function startClients(
  options: {
    users: readonly StormUser[];
    count: number;
    seed: number;
    history: History;
    outside: Outside;
    actions: readonly string[];
    /** Whether a floor is still to be reached. */
    isBelow: (floor: string) => boolean;
  },
  signal: AbortSignal,
  last: AbortSignal,
): Clients {
  const { users, count, seed, history, outside, actions, isBelow } = options;
  const sources = createSourceClients(seed);
  const others = createOtherClients(seed, sources.known);
  const used = { ...weights };
  for (const name of weighted) if (!actions.includes(name)) used[name] = 0;

  /** Actions whose floor is not reached come more often, and alone once the time is over. */
  function presentWeights(): typeof used {
    const present = { ...used };
    for (const name of weighted) {
      const rest = signal.aborted ? 0 : 1;
      present[name] *= isBelow(floorOf[name]) ? PREFERENCE : rest;
    }
    return present;
  }
  const isOver = () => signal.aborted && (last.aborted || Object.values(presentWeights()).every((one) => one === 0));

  async function act(actor: Actor): Promise<boolean> {
    const name = actor.chance.weighted(presentWeights());
    return others.isKind(name) ? others.act(actor, name) : sources.act(actor, name);
  }
  async function run(actor: Actor): Promise<void> {
    while (!isOver()) {
      const answered = await act(actor);
      // A client without an answer waits.
      const [least, most] = answered ? [50, 600] : [500, 2_000];
      await delay(actor.chance.between(least, most), undefined, { signal: signal.aborted ? last : signal }).catch(
        () => undefined,
      );
    }
  }

  const actorOf = (user: StormUser, name: string): Actor => {
    return { user, history, outside, chance: createChance(seed, name) };
  };
  const running = users.flatMap((user, at) => [
    ...Array.from({ length: count }, (_, number) => run(actorOf(user, `client ${at}.${number}`))),
    ...(actions.includes('spaces') ? [startSpaceClient(actorOf(user, `spaces ${at}`), signal)] : []),
  ]);
  return {
    done: Promise.all(running).then(() => undefined),
    async askAgain(within) {
      await Promise.all([sources.askAgain(within), others.askAgain(within)]);
    },
  };
}
