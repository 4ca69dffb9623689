/** Paragraphs as they were written, where the layout parser cut them at a line or ran two of them together. */
import type { LayoutBlock } from '@llamaindex/liteparse';

/** Share of a line's height up to which the next line goes on. */
const LINE_GAP = 0.75;

/** Blocks with what goes on in the next block joined to it, and bold only where it is. */
export function withWholeParagraphs(blocks: readonly LayoutBlock[]): LayoutBlock[] {
  const whole: LayoutBlock[] = [];
  for (const block of blocks) {
    const before = whole.at(-1);
    if (before !== undefined && goesOn(before, block)) whole[whole.length - 1] = oneOf(before, block);
    else whole.push(block);
  }
  return whole;
}

function goesOn(before: LayoutBlock, { kind, text = '', bbox }: LayoutBlock): boolean {
  const box = before.bbox;
  if (before.kind !== 'paragraph' || kind !== 'paragraph' || box === undefined || bbox === undefined) return false;
  const gap = bbox.y - (box.y + box.height);
  const overlap = Math.min(box.x + box.width, bbox.x + bbox.width) - Math.max(box.x, bbox.x);
  if (overlap < Math.min(box.width, bbox.width) * 0.5 || gap > 12 * LINE_GAP || gap < -6) return false;
  const end = (before.text ?? '').replace(/[*_\s]+$/, '');
  const isOpen = /[\p{L}\p{N},;-]$/u.test(end);
  return isOpen && (/^[*_]*\p{Ll}/u.test(text) || (/^\[\d+\] /.test(before.text ?? '') && /[,-]$/.test(end)));
}

function oneOf(before: LayoutBlock, block: LayoutBlock): LayoutBlock {
  const first = before.bold && !block.bold ? withBoldLabel(before.text ?? '') : (before.text ?? '');
  const second = block.text ?? '';
  const isParted = /\p{Ll}-$/u.test(first) && /^\p{Ll}/u.test(second);
  const text = isParted ? `${first.slice(0, -1)}${second}` : `${first} ${second}`;
  const [a, b] = [before.bbox, block.bbox];
  // The next block is compared with the last line.
  const bbox =
    a === undefined || b === undefined ? b : { ...b, x: Math.min(a.x, b.x), width: Math.max(a.width, b.width) };
  return { ...before, text, bbox, bold: before.bold === true && block.bold === true };
}

/**
 * The text of a block whose line was taken for bold for its first words: the marks go around the label that it begins
 * with, and around nothing where it has none.
 */
function withBoldLabel(text: string): string {
  return text.replace(/^[^.:*]{1,60}[.:](?= )/, '**$&**');
}

/** Numbered definitions, references and items that follow each other in one text, each as a paragraph of its own. */
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
