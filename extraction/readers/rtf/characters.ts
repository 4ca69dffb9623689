/** Control words for characters and formatting (RTF specification 1.9.1, "Special Characters", "Font Formatting"). */
import type { Mark } from '../document/blocks.ts';

/** Characters that have control words. */
export const characters: Readonly<Record<string, string>> = {
  tab: '\t',
  nbsp: '\u00a0',
  nbhyphen: '\u2011',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  cell: '',
};

export const marksOf: Readonly<Record<string, Mark>> = { b: 'bold', i: 'italic', strike: 'strike', striked: 'strike' };

export function withMark(marks: ReadonlySet<Mark>, mark: Mark, on: boolean): ReadonlySet<Mark> {
  const changed = new Set(marks);
  if (on) changed.add(mark);
  else changed.delete(mark);
  return changed;
}
