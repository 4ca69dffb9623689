/** Repairs paragraphs that the layout parser split at a line end or joined. */
import type { LayoutBlock } from '@llamaindex/liteparse';
import { escapeInline } from '../../markdown/write.ts';
import { around, type Line, liesIn } from './lines.ts';

/** Share of a line's height up to which a gap is within a paragraph. */
const LINE_GAP = 0.75;
/** Tolerance of an indent in points. */
const INDENT = 3;

/** The blocks with split paragraphs joined, bold text corrected, and paragraphs after a list separated from it. */
export function withWholeParagraphs(blocks: readonly LayoutBlock[], lines: readonly Line[] = []): LayoutBlock[] {
  const whole: LayoutBlock[] = [];
  const split = blocks.flatMap((block) => withoutTail(block, lines));
  for (const [at, one] of split.entries()) {
    const block = asProse(one, split[at - 1]);
    const before = whole.at(-1);
    if (before !== undefined && goesOn(before, block)) whole[whole.length - 1] = oneOf(before, block);
    else whole.push(block);
  }
  return whole;
}

/** A list item, separated from the paragraph after the list, which starts further to the left. */
function withoutTail(block: LayoutBlock, lines: readonly Line[]): LayoutBlock[] {
  const { kind, text = '', bbox } = block;
  if (kind !== 'list_item' || bbox === undefined) return [block];
  const own = lines.flatMap(({ items }) => {
    const inside = items.filter((item) => liesIn(item, bbox));
    return inside.length === 0 ? [] : [{ box: around(inside), text: inside.map((item) => item.text).join(' ') }];
  });
  const [first] = own;
  const tail = own.find(({ box }) => first !== undefined && box.x < first.box.x - INDENT);
  const at = tail === undefined ? -1 : text.search(beginningOf(tail.text));
  if (tail === undefined || at < 1) return [block];
  const end = tail.box.y - 1;
  return [
    { ...block, text: text.slice(0, at).trimEnd(), bbox: { ...bbox, height: end - bbox.y } },
    {
      kind: 'paragraph',
      text: text.slice(at),
      bbox: { ...bbox, y: tail.box.y, height: bbox.y + bbox.height - tail.box.y },
    },
  ];
}

/** Pattern of a text's first letters, with the Markdown syntax and spaces that may be between them. */
function beginningOf(text: string): RegExp {
  const characters = Array.from(text.replace(/\s+/g, '')).slice(0, 24);
  return new RegExp(
    `(?<=\\s)[*_]*${characters.map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('[\\s*_\\\\]*')}`,
    'u',
  );
}

/** A line that the parser took for code (file names, commands) as text where it ends a sentence. */
function asProse(block: LayoutBlock, before: LayoutBlock | undefined): LayoutBlock {
  const [line = '', ...more] = block.lines ?? [];
  if (block.kind !== 'code' || more.length > 0 || before?.kind !== 'paragraph') return block;
  const [box, next] = [before.bbox, block.bbox];
  if (box === undefined || next === undefined || !/[\p{Ll},/]$/u.test(before.text ?? '')) return block;
  const gap = next.y - (box.y + box.height);
  if (gap > 12 * LINE_GAP || Math.abs(next.x - box.x) > INDENT || !/^[\p{Ll}\p{N}/]/u.test(line)) return block;
  return { kind: 'paragraph', text: escapeInline(line), bbox: next };
}

function goesOn(before: LayoutBlock, { kind, text = '', bbox }: LayoutBlock): boolean {
  const box = before.bbox;
  if (before.kind !== 'paragraph' || kind !== 'paragraph' || box === undefined || bbox === undefined) return false;
  const gap = bbox.y - (box.y + box.height);
  const overlap = Math.min(box.x + box.width, bbox.x + bbox.width) - Math.max(box.x, bbox.x);
  if (overlap < Math.min(box.width, bbox.width) * 0.5 || gap > 12 * LINE_GAP || gap < -6) return false;
  const end = (before.text ?? '').replace(/[*_\s]+$/, '');
  const isOpen = /[\p{L}\p{N},;/-]$/u.test(end);
  return isOpen && (/^[*_]*\p{Ll}/u.test(text) || (/^\[\d+\] /.test(before.text ?? '') && /[,-]$/.test(end)));
}

function oneOf(before: LayoutBlock, block: LayoutBlock): LayoutBlock {
  const first = before.bold && !block.bold ? withBoldLabel(before.text ?? '') : (before.text ?? '');
  const second = block.text ?? '';
  const isParted = /\p{Ll}-$/u.test(first) && /^\p{Ll}/u.test(second);
  const isPath = /\/$/.test(first) && /^[\p{L}\p{N}]/u.test(second);
  const text = isParted ? `${first.slice(0, -1)}${second}` : `${first}${isPath ? '' : ' '}${second}`;
  const [a, b] = [before.bbox, block.bbox];
  // The box of the last line, since the next block is compared with it.
  const bbox =
    a === undefined || b === undefined ? b : { ...b, x: Math.min(a.x, b.x), width: Math.max(a.width, b.width) };
  return { ...before, text, bbox, bold: before.bold === true && block.bold === true };
}

/**
 * The text of a block that the parser marked as bold because of its first words: only the label at its start is bold;
 * no
 * text is bold where there is no label.
 */
function withBoldLabel(text: string): string {
  return text.replace(/^[^.:*]{1,60}[.:](?= )/, '**$&**');
}

/** Splits numbered definitions, references and items in one text into separate paragraphs. */
export function partedByNumbers(text: string): string {
  return text
    .replace(/(?<=[.;:)]\**) (?=\*\*\d+(?:\.\d+)+\** \S)/g, '\n\n')
    .replace(/(?<=\.) (?=\[(\d{1,3})\] \p{Lu})/gu, (space, number: string) =>
      text.includes(`[${Number(number) - 1}] `) ? '\n\n' : space,
    )
    .replace(/(?<=[.;:,]|\band|\bor) (?=([a-z])\) \S)/g, (space, letter: string) =>
      letter === 'a' || text.includes(`${String.fromCharCode(letter.charCodeAt(0) - 1)}) `) ? '\n\n' : space,
    );
}
