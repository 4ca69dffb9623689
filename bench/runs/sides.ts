/** The three that a bench measures in turns. */
export const sides = ['service', 'bare', 'fixed'] as const;
export type Side = (typeof sides)[number];
export type Bare = Exclude<Side, 'service'>;

/** A value for each side. */
export function ofEach<Value>(make: (side: Side) => Value): Record<Side, Value> {
  return { service: make('service'), bare: make('bare'), fixed: make('fixed') };
}

/** The sides in another order each time, so that none is always first and none always follows the same one. */
export function orderOf(turn: number): Side[] {
  const first = turn % sides.length;
  const rotated = [...sides.slice(first), ...sides.slice(0, first)];
  return turn % (2 * sides.length) < sides.length ? rotated : rotated.toReversed();
}
