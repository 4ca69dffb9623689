/** Tables of XML documents (CALS and HTML models) -> GFM tables. */
import { tableOf } from '../../markdown/write.ts';
import { descendantsOf, elementsOf, isElement, type XmlElement } from '../xml/parse.ts';
import { inlineOf, type Writing } from './inline.ts';
import { cells, localName, rows, titles } from './names.ts';

/** The table with its title above; null where it has no rows. */
export function markupTable(table: XmlElement, writing: Writing): string | null {
  const found = rowsBelow(table);
  const grid = found.map((row) => elementsOf(row).filter((cell) => cells.has(localName(cell.name))));
  if (grid.every((row) => row.length === 0)) return null;
  const first = found[0];
  const headed =
    descendantsOf(table, 'thead').length > 0 ||
    first?.attributes.role === 'label' ||
    (grid[0]?.every((cell) => localName(cell.name) === 'th') ?? false);
  const lines = grid.map((row) => row.flatMap((cell) => [cellOf(cell, writing), ...spanOf(cell)]));
  const title = elementsOf(table).find((child) => titles.has(localName(child.name)));
  const grown = headed ? tableOf(lines[0] ?? [], lines.slice(1)) : tableOf([], lines);
  const caption = title === undefined ? '' : inlineOf(title.children, writing);
  return caption === '' ? grown : `**${caption.replace(/\*\*/g, '')}**\n\n${grown}`;
}

function rowsBelow(element: XmlElement): XmlElement[] {
  return elementsOf(element).flatMap((child) =>
    rows.has(localName(child.name)) ? [child] : titles.has(localName(child.name)) ? [] : rowsBelow(child),
  );
}

function cellOf(cell: XmlElement, writing: Writing): string {
  const blocks = elementsOf(cell);
  const paragraphs = blocks.length > 1 && blocks.every((block) => /^(?:p|para|simpara)$/.test(localName(block.name)));
  if (!paragraphs) return inlineOf(cell.children, writing).replace(/ {2}\n/g, '\n');
  return cell.children
    .filter(isElement)
    .map((block) => inlineOf(block.children, writing))
    .join('\n');
}

/** Empty cells for the further columns of a wide cell. */
function spanOf({ attributes }: XmlElement): string[] {
  const span = Number(attributes.colspan ?? attributes.cols ?? '1');
  return Number.isInteger(span) && span > 1 ? Array.from({ length: Math.min(span, 60) - 1 }, () => '') : [];
}
