/** Matching of moments to time spans, one to one. */

export interface Span {
  from: number;
  to: number;
}

/**
 * Finds a maximum matching between moments and the spans that contain them (Glover's greedy matching of a convex
 * bipartite graph). Returns the unmatched moments and spans.
 */
export function match<M extends { at: number }, S extends Span>(
  moments: readonly M[],
  spans: readonly S[],
): { moments: M[]; spans: S[] } {
  const free = new Set(spans);
  const unmatched = moments
    .toSorted((a, b) => a.at - b.at)
    .filter(({ at }) => {
      const [first] = [...free].filter(({ from, to }) => from <= at && at <= to).toSorted((a, b) => a.to - b.to);
      return first === undefined || !free.delete(first);
    });
  return { moments: unmatched, spans: [...free] };
}
