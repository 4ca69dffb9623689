/** Counts content that a reader left out or changed, for one warning of each kind. */
import type { ReadingWarning } from '../../../contract/extraction.ts';

const sentences = {
  merged_cells: (n: number) =>
    `${count(n, 'merged cell')}: the text is in the first cell of each area, the other cells are empty.`,
  images_without_text: (n: number) => `Left out: ${count(n, 'image')} without a description.`,
  comments: (n: number) => `Left out: ${count(n, 'comment')} by reviewers.`,
  tracked_insertions: (n: number) => `Kept, as if accepted: ${count(n, 'tracked insertion')}.`,
  tracked_deletions: (n: number) => `Left out, as if accepted: ${count(n, 'tracked deletion')}.`,
  headers_and_footers: (n: number) => `Left out: ${count(n, 'page header or footer', 'page headers and footers')}.`,
  table_of_contents: (n: number) =>
    `Left out: ${count(n, 'table of contents', 'tables of contents')}, which only repeats headings.`,
  hidden_text: (n: number) => `Left out: ${count(n, 'hidden text')}.`,
  embedded_objects: (n: number) => `Left out: ${count(n, 'embedded object')}, such as a sheet or another document.`,
  charts_without_data: (n: number) => `Left out: ${count(n, 'chart')} without stored values.`,
  hidden_slides: (n: number) => `Kept and marked as hidden: ${count(n, 'slide')}.`,
  missing_parts: (n: number) => `Missing or damaged in the file: ${count(n, 'part')}.`,
} as const;

export type LeftOutKind = keyof typeof sentences;

export interface LeftOut {
  add(kind: LeftOutKind, count?: number): void;
  /** One warning of each kind, in the order of their first occurrence. */
  warnings(): ReadingWarning[];
}

/** Creates an empty counter. */
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
