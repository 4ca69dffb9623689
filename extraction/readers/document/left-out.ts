/** What a reading left out or changed, counted by kind and said once for each. */
import type { ReadingWarning } from '../../../contract/extraction.ts';

const sentences = {
  merged_cells: (n: number) =>
    `${count(n, 'merged cell')}: the text stands in the first place that each covers, the others are empty.`,
  images_without_text: (n: number) => `${count(n, 'image')} without a description left out.`,
  comments: (n: number) => `${count(n, 'comment')} of reviewers left out.`,
  tracked_insertions: (n: number) => `${count(n, 'tracked insertion')} kept as if accepted.`,
  tracked_deletions: (n: number) => `${count(n, 'tracked deletion')} left out as if accepted.`,
  headers_and_footers: (n: number) => `${count(n, 'header or footer', 'headers and footers')} of pages left out.`,
  table_of_contents: (n: number) =>
    `${count(n, 'table of contents', 'tables of contents')} left out: it repeats headings.`,
  hidden_text: (n: number) => `${count(n, 'hidden text')} left out.`,
  embedded_objects: (n: number) => `${count(n, 'embedded object')} left out, such as a sheet or another document.`,
  charts_without_data: (n: number) => `${count(n, 'chart')} without stored values left out.`,
  hidden_slides: (n: number) => `${count(n, 'hidden slide')} kept and marked as such.`,
  missing_parts: (n: number) => `${count(n, 'part')} named by the file but missing or damaged.`,
} as const;

export type LeftOutKind = keyof typeof sentences;

export interface LeftOut {
  add(kind: LeftOutKind, count?: number): void;
  /** In the order in which the kinds first came up. */
  warnings(): ReadingWarning[];
}

/** A tally that starts with nothing. */
export function createLeftOut(): LeftOut {
  const counts = new Map<LeftOutKind, number>();
  return {
    add(kind, more = 1) {
      if (more > 0) counts.set(kind, (counts.get(kind) ?? 0) + more);
    },
    warnings: () => [...counts].map(([code, n]) => ({ code, message: sentences[code](n) })),
  };
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
