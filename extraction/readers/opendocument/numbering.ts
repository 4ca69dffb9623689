/** Labels of list items and headings in OpenDocument. */
import type { ItemLabel } from '../document/blocks.ts';
import { numeral } from '../document/numerals.ts';
import type { ListLevel } from './styles.ts';

const formats: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  '一, 二, 三, ...': 'chineseCounting',
};

/** The label of an item. `counts` are the numbers of its level and the levels above, outermost first. */
export function labelOf(
  level: ListLevel | null,
  counts: readonly number[],
  levels: (level: number) => ListLevel | null,
): ItemLabel {
  if (level === null || level.format === null || level.format === '') return { kind: 'bullet' };
  const { format, prefix, suffix, shown } = level;
  const number = counts.at(-1) ?? 1;
  if (format === '1' && shown === 1 && prefix === '' && (suffix === '.' || suffix === ')')) {
    return { kind: 'number', number, delimiter: suffix };
  }
  const numbers = counts.slice(-shown).map((count, at, all) => {
    const own = levels(counts.length - all.length + at + 1)?.format ?? format;
    return numeral(count, formats[own] ?? 'decimal');
  });
  return { kind: 'literal', text: `${prefix}${numbers.join('.')}${suffix}`.trim() };
}
