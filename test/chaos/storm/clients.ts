/** Clients of several users that send random requests over HTTP. */
import { setTimeout as delay } from 'node:timers/promises';
import { createChance } from './chance.ts';
import { type History, sourceActions } from './history.ts';
import { createOtherClients, otherKinds, startSpaceClient } from './other-actions.ts';
import type { Outside } from './outside.ts';
import type { Actor, ChaosUser } from './requests.ts';
import { createSourceClients } from './source-actions.ts';

const weighted = [...sourceActions, 'bulk', ...otherKinds] as const;
/** Relative frequency of each action. */
const weights: Record<(typeof weighted)[number], number> = {
  ...{ create: 5, cancel: 2, reprocess: 2, refresh: 3, update: 2, delete: 0.6, restore: 0.7, bulk: 1.5 },
  ...{ process: 1.5, promote: 1.5, ticket: 0.6, wait: 1, stream: 0.4 },
};
/** The floor that each action counts towards. */
const floorOf: Record<(typeof weighted)[number], string> = {
  ...{ create: 'accepted create', cancel: 'accepted cancel', reprocess: 'accepted reprocess' },
  ...{ refresh: 'accepted refresh', update: 'accepted update', delete: 'accepted delete', restore: 'accepted restore' },
  ...{ bulk: 'accepted in bulk', process: 'accepted process artifact', promote: 'accepted promote artifact' },
  ...{ ticket: 'accepted create ticket', wait: 'accepted wait for a source', stream: 'accepted stream a source' },
};
/** Factor on the weight of an action below its floor. */
const PREFERENCE = 3;
export const clientActions = [...weighted, 'spaces'] as const;

export interface Clients {
  /** Resolves when every client has done its last action. */
  done: Promise<void>;
  /** Repeats creates and tickets without a response until all have one. @throws when `signal` is aborted before. */
  retryUnanswered(signal: AbortSignal): Promise<void>;
}

/**
 * Runs `count` clients for each user with the given actions until `signal` is aborted, and after that, until `last` is
 * aborted, only with actions below their floor.
 */
export function startClients(
  options: {
    users: readonly ChaosUser[];
    count: number;
    seed: number;
    history: History;
    outside: Outside;
    actions: readonly string[];
    /** Returns whether the count of a floor is still below it. */
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

  /** Prefers actions below their floor; once `signal` is aborted, only those have a weight. */
  function currentWeights(): typeof used {
    const present = { ...used };
    for (const name of weighted) {
      const rest = signal.aborted ? 0 : 1;
      present[name] *= isBelow(floorOf[name]) ? PREFERENCE : rest;
    }
    return present;
  }
  const isOver = () => signal.aborted && (last.aborted || Object.values(currentWeights()).every((one) => one === 0));

  async function act(actor: Actor): Promise<boolean> {
    const name = actor.chance.weighted(currentWeights());
    return others.isKind(name) ? others.act(actor, name) : sources.act(actor, name);
  }
  async function run(actor: Actor): Promise<void> {
    while (!isOver()) {
      const responded = await act(actor);
      // Backs off without a response.
      const [minMs, maxMs] = responded ? [50, 600] : [500, 2_000];
      await delay(actor.chance.between(minMs, maxMs), undefined, { signal: signal.aborted ? last : signal }).catch(
        () => undefined,
      );
    }
  }

  const actorOf = (user: ChaosUser, name: string): Actor => {
    return { user, history, outside, chance: createChance(seed, name) };
  };
  const running = users.flatMap((user, at) => [
    ...Array.from({ length: count }, (_, number) => run(actorOf(user, `client ${at}.${number}`))),
    ...(actions.includes('spaces') ? [startSpaceClient(actorOf(user, `spaces ${at}`), signal)] : []),
  ]);
  return {
    done: Promise.all(running).then(() => undefined),
    async retryUnanswered(within) {
      await Promise.all([sources.retryUnanswered(within), others.retryUnanswered(within)]);
    },
  };
}
