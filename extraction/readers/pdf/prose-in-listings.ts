/** Prose that is set in a typewriter's font, as recognised scans often are: the layout parser takes it for code. */
import type { LayoutBlock } from '@llamaindex/liteparse';
import { escapeInline } from '../../markdown/write.ts';

/** Lines from which a listing is looked at. */
const FEWEST_LINES = 4;
/** Share of a listing's lines that read as sentences. */
const ENOUGH = 0.5;
/** Share of the longest line up to which a line is the last of its paragraph. */
const SHORT = 0.75;

/** The blocks of a page; listings of sentences are their paragraphs. */
export function withProseOfListings(blocks: readonly LayoutBlock[]): LayoutBlock[] {
  return blocks.flatMap((block) => {
    const lines = (block.lines ?? []).map((line) => line.trim()).filter((line) => line !== '');
    if (block.kind !== 'code' || lines.length < FEWEST_LINES) return [block];
    if (lines.filter(isOfSentence).length < lines.length * ENOUGH) return [block];
    const { bbox } = block;
    return paragraphsOf(lines).map(
      (text): LayoutBlock => ({ kind: 'paragraph', text: escapeInline(text), ...(bbox && { bbox }) }),
    );
  });
}

/** Words, most of them in small letters, and no sign of a program. */
function isOfSentence(line: string): boolean {
  const words = line.match(/(?<=^|[\s(“"'])\p{Ll}{2,}(?=[\s,.;:)”"'-]|$)/gu) ?? [];
  return words.length >= 5 && words.length * 2 > line.split(/\s+/).length && !/[{}=<>\\|]|^\s*[#%/]|;$|\w\(/.test(line);
}

function paragraphsOf(lines: readonly string[]): string[] {
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const before = paragraphs.at(-1);
    if (before === undefined || !isOpen) paragraphs.push(line);
    else if (/\p{Ll}-$/u.test(before) && /^\p{Ll}/u.test(line))
      paragraphs[paragraphs.length - 1] = before.slice(0, -1) + line;
    else paragraphs[paragraphs.length - 1] = `${before} ${line}`;
    isOpen = line.length > longest * SHORT;
  }
  return paragraphs;
}
