/** Floors: minimum counts of requests, faults and observations. A chaos run below one of them fails. */
import { outcomes, sourceTypes, triggers } from '../../../contract/statuses.ts';
import { otherProcessNames, processNames, serverNames, workerNames } from './cluster.ts';
import type { FinalState } from './final-state.ts';
import { type History, mayBeLost } from './history.ts';

export const floorSets = ['long', 'short', 'none'] as const;
export type FloorSet = (typeof floorSets)[number];

/** Without --floors, runs of this many minutes or more use the long floors. */
export const LONG_MINUTES = 8;

/** `long` is calibrated for runs of 10 minutes, `short` for CI's run of less than 2 minutes. */
const floors: Readonly<Record<string, Readonly<Record<Exclude<FloorSet, 'none'>, number>>>> = {
  'accepted create': { long: 120, short: 30 },
  'accepted cancel': { long: 15, short: 2 },
  'accepted reprocess': { long: 20, short: 5 },
  'accepted refresh': { long: 20, short: 5 },
  'accepted update': { long: 15, short: 3 },
  'accepted delete': { long: 6, short: 1 },
  'accepted restore': { long: 5, short: 1 },
  'accepted in bulk': { long: 15, short: 3 },
  'accepted upload again': { long: 15, short: 3 },
  'accepted process artifact': { long: 8, short: 2 },
  'accepted promote artifact': { long: 6, short: 1 },
  'accepted create ticket': { long: 10, short: 1 },
  'accepted delete space': { long: 10, short: 1 },
  'accepted restore space': { long: 6, short: 1 },
  'accepted wait for a source': { long: 8, short: 1 },
  'accepted stream a source': { long: 5, short: 1 },
  'sources of type URI': { long: 40, short: 8 },
  'sources of type CONTENT': { long: 25, short: 4 },
  'sources of type FILE': { long: 12, short: 2 },
  'sources of type COMPOSITION': { long: 12, short: 2 },
  'generations ended COMPLETED': { long: 100, short: 20 },
  'generations ended FAILED': { long: 5, short: 1 },
  'generations ended CANCELED': { long: 15, short: 1 },
  'generations ended SUPERSEDED': { long: 15, short: 2 },
  'generations by create': { long: 100, short: 25 },
  'generations by update': { long: 12, short: 2 },
  'generations by reprocess': { long: 20, short: 4 },
  'generations by refresh': { long: 20, short: 4 },
  'generations by recovery': { long: 8, short: 1 },
  'states seen': { long: 1_000, short: 150 },
  'postbacks received': { long: 100, short: 20 },
  'mails received': { long: 10, short: 1 },
  'sources purged': { long: 6, short: 1 },
  'deleted sources restored with results': { long: 1, short: 0 },
  ...Object.fromEntries(
    [...processNames, ...otherProcessNames].flatMap((name) => {
      return [
        [`kill ${name}`, { long: 2, short: 1 }],
        // Pauses come after the kills; a short run does not reach them in every process group.
        [`pause ${name}`, { long: 2, short: 0 }],
      ];
    }),
  ),
  ...Object.fromEntries(serverNames.map((name) => [`reset to ${name}`, { long: 60, short: 8 }])),
  ...Object.fromEntries(serverNames.map((name) => [`drop packets to ${name}`, { long: 3, short: 1 }])),
  ...Object.fromEntries(workerNames.map((name) => [`partition ${name} from temporal`, { long: 3, short: 0 }])),
  'terminate a run': { long: 20, short: 2 },
  'fail over postgres': { long: 3, short: 1 },
  'two versions': { long: 1, short: 1 },
  'clocks apart': { long: 1, short: 1 },
};

/** Counts accepted requests whose commit cannot have been lost by a failover, by floor name. */
export function countAccepted(history: History): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(`accepted ${name}`, (counts.get(`accepted ${name}`) ?? 0) + 1);
  for (const request of [...history.requests, ...history.others]) {
    const { acceptance, action, sentAt, respondedAt } = request;
    if (acceptance !== 'accepted' || mayBeLost(history, sentAt, respondedAt ?? Number.POSITIVE_INFINITY)) continue;
    add(action);
    if ('bulk' in request && request.bulk) add('in bulk');
  }
  return counts;
}

/** Returns whether the count of this name is below its floor. */
export function isBelow(set: FloorSet, name: string, counts: ReadonlyMap<string, number>): boolean {
  return set !== 'none' && (counts.get(name) ?? 0) < (floors[name]?.[set] ?? 0);
}

/** Counts all requests, faults and observations, by floor name. */
export function countAll(state: FinalState): Map<string, number> {
  const { history, sources, seen, received, mails, faults } = state;
  const counts = new Map<string, number>(faults);
  const generations = sources.flatMap((source) => source.generations);
  const accepted = history.requests.filter(({ acceptance }) => acceptance === 'accepted');
  for (const [name, count] of countAccepted(history)) counts.set(name, count);
  const existing = new Set(sources.map(({ id }) => id));
  const made = [...history.sources.values()].filter(({ ids }) => ids.size > 0);
  for (const type of sourceTypes) {
    counts.set(`sources of type ${type}`, made.filter((source) => source.type === type).length);
  }
  for (const outcome of outcomes) {
    counts.set(`generations ended ${outcome}`, generations.filter((one) => one.outcome === outcome).length);
  }
  for (const trigger of triggers) {
    counts.set(`generations by ${trigger}`, generations.filter((one) => one.trigger === trigger).length);
  }
  counts.set(
    'states seen',
    seen.reduce((sum, { states }) => sum + states.length, 0),
  );
  counts.set('postbacks received', new Set(received.map(({ headers }) => headers['webhook-id'])).size);
  counts.set('mails received', mails.length);
  counts.set('sources purged', made.filter(({ ids }) => [...ids].every((id) => !existing.has(id))).length);
  const deleted = new Set(accepted.filter(({ action }) => action === 'delete').map(({ marker }) => marker));
  const restores = accepted.filter(({ action, marker }) => action === 'restore' && deleted.has(marker));
  const restored = new Set(restores.map(({ marker }) => marker));
  const whole = sources.filter(({ marker, results }) => restored.has(marker) && results !== null);
  counts.set('deleted sources restored with results', whole.length);
  return counts;
}

/** Returns a line for each missed floor. */
export function missedFloors(set: FloorSet, counts: ReadonlyMap<string, number>): string[] {
  if (set === 'none') return [];
  return Object.entries(floors).flatMap(([name, minimum]) => {
    const count = counts.get(name) ?? 0;
    return count < minimum[set] ? [`BELOW FLOOR ${name}: ${count} of ${minimum[set]}`] : [];
  });
}
