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
export const clientActions = [...weighted, 'spaces'] as const;

export interface Clients {
  /** Resolves when every client has done its last action. */
  done: Promise<void>;
  /** Sends every create and ticket again that was never answered, until it is. @throws once `signal` is aborted. */
  askAgain(signal: AbortSignal): Promise<void>;
}

/** Lets `count` clients of each user do what `actions` names until `signal` is aborted. */
export function startClients(
  options: {
    users: readonly StormUser[];
    count: number;
    seed: number;
    history: History;
    outside: Outside;
    actions: readonly string[];
  },
  signal: AbortSignal,
): Clients {
  const { users, count, seed, history, outside, actions } = options;
  const sources = createSourceClients(seed);
  const others = createOtherClients(seed, sources.known);
  const used = { ...weights };
  for (const name of weighted) if (!actions.includes(name)) used[name] = 0;

  async function act(actor: Actor): Promise<boolean> {
    const name = actor.chance.weighted(used);
    return others.isKind(name) ? others.act(actor, name) : sources.act(actor, name);
  }
  async function run(actor: Actor): Promise<void> {
    while (!signal.aborted) {
      const answered = await act(actor);
      // A client without an answer waits.
      const [least, most] = answered ? [50, 600] : [500, 2_000];
      await delay(actor.chance.between(least, most), undefined, { signal }).catch(() => undefined);
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
