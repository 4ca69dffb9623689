/** Restores text of a page that is missing from the layout parser's blocks. */
import type { LayoutBlock, LayoutCell, TextItem } from '@llamaindex/liteparse';
import { escapeInline } from '../../markdown/write.ts';
import { around, type Box, type Line } from './lines.ts';

/** A text is in the blocks if more than this share of its pieces is; blocks may have them in another order. */
const FOUND_SHARE = 0.3;

/** The blocks with the missing text of the page: in the table cell where it is placed, or as a paragraph. */
export function withLostText(
  blocks: readonly LayoutBlock[],
  lines: readonly Line[],
  textItems: readonly TextItem[],
): LayoutBlock[] {
  const texts = blocks.flatMap(textsOf);
  const letters = texts.map(lettersOf).join('');
  const words = new Set(texts.flatMap(wordsOf));
  const isLost = ({ text }: TextItem) => {
    const pieces = piecesOf(lettersOf(text));
    if (pieces.length === 0 || pieces.filter((piece) => letters.includes(piece)).length > pieces.length * FOUND_SHARE)
      return false;
    // Short texts as in cells, and right-to-left text, whose order differs, are compared by words.
    const own = wordsOf(text);
    return (
      own.length > 0 && !((own.length < 4 || !/^[\p{ASCII}]*$/u.test(text)) && own.every((word) => words.has(word)))
    );
  };
  let all = [...blocks];
  for (const line of lines) {
    const lost = line.items.filter(isLost);
    if (lost.length === 0) continue;
    const inTables = lost.filter((item) => all.some((block) => block.kind === 'table' && overlaps(item, block.bbox)));
    for (const item of inTables) all = all.map((block) => (overlaps(item, block.bbox) ? withCell(block, item) : block));
    const alone = lost.filter((item) => !inTables.includes(item));
    if (alone.length > 0) all = inserted(all, alone);
  }
  const rotated = textItems.filter((item) => Math.abs(item.rotation ?? 0) >= 1 && isLost(item));
  return rotated.length === 0 ? all : [...all, paragraphOf(rotated)];
}

function textsOf({ text, lines = [], header = [], rows = [] }: LayoutBlock): string[] {
  return [...(text === undefined ? [] : [text]), ...lines, ...[header, ...rows].flat().map((cell) => cell.text)];
}

/** Pieces of 12 characters, which do not match by chance. */
const piecesOf = (letters: string) => letters.match(/.{12}|.{1,11}$/gsu) ?? [];

/** The letters and digits of a text. */
const lettersOf = (text: string) => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '');
/** Words of at least two letters or digits. */
const wordsOf = (text: string) => text.normalize('NFKC').match(/[\p{L}\p{N}]{2,}/gu) ?? [];

function overlaps(item: Box, box: Box | undefined): boolean {
  if (box === undefined) return false;
  const [x, y] = [item.x + item.width / 2, item.y + item.height / 2];
  return x >= box.x - 1 && x <= box.x + box.width + 1 && y >= box.y - 1 && y <= box.y + box.height + 1;
}

/** The table with the text appended to the nearest cell. */
function withCell(block: LayoutBlock, item: TextItem): LayoutBlock {
  const { header, rows = [] } = block;
  const cells = [...(header ?? []), ...rows.flat()];
  const nearest = cells.reduce<LayoutCell | undefined>(
    (best, cell) => (distance(item, cell) < distance(item, best) ? cell : best),
    undefined,
  );
  const completed = (cell: LayoutCell): LayoutCell =>
    cell === nearest && cell.bbox !== undefined
      ? {
          text: item.x < cell.bbox.x ? `${item.text.trim()} ${cell.text}` : `${cell.text} ${item.text.trim()}`,
          bbox: around([cell.bbox, item]),
        }
      : cell;
  return { ...block, ...(header && { header: header.map(completed) }), rows: rows.map((row) => row.map(completed)) };
}

/** Distance in points; vertical distance counts 20 times. Infinite for a cell without a position. */
function distance(item: Box, cell: LayoutCell | undefined): number {
  if (cell?.bbox === undefined) return Number.POSITIVE_INFINITY;
  const { x, y, width, height } = cell.bbox;
  const down = Math.max(0, y - (item.y + item.height / 2), item.y + item.height / 2 - (y + height));
  const across = Math.max(0, x - (item.x + item.width), item.x - (x + width));
  return down * 20 + across;
}

/** The blocks with the items as a paragraph, before the next block below in the same column. */
function inserted(blocks: readonly LayoutBlock[], items: readonly TextItem[]): LayoutBlock[] {
  const paragraph = paragraphOf(items);
  const box = around(items);
  const at = blocks.findIndex(
    ({ bbox }) => bbox !== undefined && bbox.y >= box.y && bbox.x < box.x + box.width && bbox.x + bbox.width > box.x,
  );
  return at === -1 ? [...blocks, paragraph] : blocks.toSpliced(at, 0, paragraph);
}

function paragraphOf(items: readonly TextItem[]): LayoutBlock {
  const text = items.map((item) => item.text.trim()).join(' ');
  return { kind: 'paragraph', text: escapeInline(text), bbox: around(items) };
}
