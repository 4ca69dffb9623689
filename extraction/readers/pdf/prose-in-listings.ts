/** Prose in a monospaced font, as in many scans with recognised text, which the layout parser takes for code. */
import type { LayoutBlock } from '@llamaindex/liteparse';
import { escapeInline } from '../../markdown/write.ts';

/** Shorter listings are not checked. */
const MIN_LINES = 4;
/** A listing with this share of lines of prose is prose. */
const MIN_PROSE_SHARE = 0.5;
/** A line up to this share of the longest line ends its paragraph. */
const SHORT_LINE_SHARE = 0.75;

/** The blocks of a page, with paragraphs in place of listings of prose. */
export function withProseOfListings(blocks: readonly LayoutBlock[]): LayoutBlock[] {
  return blocks.flatMap((block) => {
    const lines = (block.lines ?? []).map((line) => line.trim()).filter((line) => line !== '');
    if (block.kind !== 'code' || lines.length < MIN_LINES) return [block];
    if (lines.filter(isProseLine).length < lines.length * MIN_PROSE_SHARE) return [block];
    const { bbox } = block;
    return paragraphsOf(lines).map(
      (text): LayoutBlock => ({ kind: 'paragraph', text: escapeInline(text), ...(bbox && { bbox }) }),
    );
  });
}

/** True for a line of mostly lower-case words without syntax of code. */
function isProseLine(line: string): boolean {
  const words = line.match(/(?<=^|[\s(“"'])\p{Ll}{2,}(?=[\s,.;:)”"'-]|$)/gu) ?? [];
  return words.length >= 5 && words.length * 2 > line.split(/\s+/).length && !/[{}=<>\\|]|^\s*[#%/]|;$|\w\(/.test(line);
}

function paragraphsOf(lines: readonly string[]): string[] {
  const longest = lines.reduce((max, line) => Math.max(max, line.length), 0);
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const before = paragraphs.at(-1);
    if (before === undefined || !isOpen) paragraphs.push(line);
    else if (/\p{Ll}-$/u.test(before) && /^\p{Ll}/u.test(line))
      paragraphs[paragraphs.length - 1] = before.slice(0, -1) + line;
    else paragraphs[paragraphs.length - 1] = `${before} ${line}`;
    isOpen = line.length > longest * SHORT_LINE_SHARE;
  }
  return paragraphs;
}
