/** Moments that belong to spans of time, each to one of its own. */

export interface Span {
  from: number;
  to: number;
}

/**
 * Gives as many moments as possible a span that holds them, no span to two of them (Glover's greedy matching of a
 * convex bipartite graph), and returns those that are left on either side.
 */
export function match<M extends { at: number }, S extends Span>(
  moments: readonly M[],
  spans: readonly S[],
): { moments: M[]; spans: S[] } {
  const free = new Set(spans);
  const alone = moments
    .toSorted((a, b) => a.at - b.at)
    .filter(({ at }) => {
      const [first] = [...free].filter(({ from, to }) => from <= at && at <= to).toSorted((a, b) => a.to - b.to);
      return first === undefined || !free.delete(first);
    });
  return { moments: alone, spans: [...free] };
}
