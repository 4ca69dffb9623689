/** The three sides that a bench compares. */
export const sides = ['service', 'bare', 'fixed'] as const;
export type Side = (typeof sides)[number];
export type Bare = Exclude<Side, 'service'>;

/** Makes a value for each side. */
export function ofEach<Value>(make: (side: Side) => Value): Record<Side, Value> {
  return { service: make('service'), bare: make('bare'), fixed: make('fixed') };
}

/** Rotates and reverses the order of the sides, so that none is always first or always follows the same one. */
export function orderOf(turn: number): Side[] {
  const first = turn % sides.length;
  const rotated = [...sides.slice(first), ...sides.slice(0, first)];
  return turn % (2 * sides.length) < sides.length ? rotated : rotated.toReversed();
}
