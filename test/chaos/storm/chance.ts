/** Seeded random numbers: the only source of randomness of a chaos run. */

export interface Chance {
  /** A number from 0 (included) to 1 (excluded). */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  happens(probability: number): boolean;
  /** One of the list. @throws when it is empty. */
  pick<T>(list: readonly T[]): T;
  /** One of the names, with a probability proportional to its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value >>> 0;
}

/**
 * Deterministic random numbers for a seed and a name (mulberry32). Each actor has its own sequence, so that it does not
 * depend on the timing of others.
 */
export function createChance(seed: number, name: string): Chance {
  let state = hash(`${seed}/${name}`);
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  function pick<T>(list: readonly T[]): T {
    const found = list[Math.floor(next() * list.length)];
    if (found === undefined) throw new Error('Cannot pick from an empty list.');
    return found;
  }
  return {
    next,
    pick,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    happens: (probability) => next() < probability,
    weighted(weights) {
      const names = Object.keys(weights) as (keyof typeof weights)[];
      let left = next() * names.reduce((sum, name) => sum + weights[name], 0);
      for (const name of names) {
        left -= weights[name];
        if (left < 0) return name;
      }
      return pick(names);
    },
  };
}
