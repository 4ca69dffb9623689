/** Parses a long Markdown text piece by piece (mdast, CommonMark with GFM). */
import type { RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { lentDefinitions } from './definitions.ts';
import { longFence } from './long-fence.ts';
import { moreRows } from './long-table.ts';
import { nextCut } from './segments.ts';

/** Without these a paragraph is one text: half the time, for those who need blocks alone. lineEnding must stay. */
const inlineConstructs = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'emailAutolink',
  'gfmFootnoteCall',
  'gfmPotentialFootnoteCall',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
  'protocolAutolink',
  'strikethrough',
  'wwwAutolink',
];

// Made once: a piece may be one line.
const gfmSyntax = gfm();
const frontmatterSyntax = frontmatter(['yaml']);
const blocksAlone = { disable: { null: inlineConstructs } };
const mdastExtensions = [gfmFromMarkdown(), frontmatterFromMarkdown(['yaml'])];

export interface Piece {
  /** Their offsets and lines count from the beginning of the piece. */
  blocks: RootContent[];
  end: number;
}

/** Parses the piece of a text that begins at `start`; within a table whose rows go on there when `inTable`. */
export function parsePiece(
  text: string,
  start: number,
  inTable: boolean,
  inline: boolean,
  definitions: Map<string, string>,
): Piece {
  const long = inTable ? moreRows(text, start, inline) : longFence(text, start);
  if (long !== null) return { blocks: [long.block], end: long.end };
  let end = nextCut(text, start);
  let blocks = parseBetween(text, start, end, inline, definitions);
  while (end < text.length) {
    const open = openBlock(blocks, text.slice(start, end));
    if (open === null) break;
    const { offset = 0, column } = open.position?.start ?? {};
    // The next piece begins with the fence, which need not be parsed to find its end.
    if (open.type === 'code' && column === 1 && offset > 0) {
      return { blocks: blocks.slice(0, blocks.indexOf(open)), end: start + offset };
    }
    end = nextCut(text, start, (end - start) * 2);
    blocks = parseBetween(text, start, end, inline, definitions);
  }
  return { blocks, end };
}

function parseBetween(
  text: string,
  start: number,
  end: number,
  inline: boolean,
  definitions: Map<string, string>,
): RootContent[] {
  const source = text.slice(start, end);
  const whole = start === 0 && end === text.length;
  const extensions = [gfmSyntax];
  if (start === 0) extensions.push(frontmatterSyntax);
  if (!inline) extensions.push(blocksAlone);
  const { children } = fromMarkdown(whole ? source : source + lentDefinitions(source, definitions), {
    extensions,
    mdastExtensions,
  });
  // What lies beyond the piece are the definitions that were lent to it.
  return children.filter((child) => (child.position?.start.offset ?? 0) < source.length);
}

/** The fence or the raw HTML in which the piece ends, where that goes on behind it. */
function openBlock(blocks: RootContent[], piece: string): RootContent | null {
  const last = blocks.at(-1);
  if (last === undefined) return null;
  const source = piece.slice(last.position?.start.offset ?? 0, last.position?.end.offset ?? piece.length).trimEnd();
  if (last.type === 'code') return fenceEndsOpen(source) ? last : null;
  return last.type === 'html' && htmlEndsOpen(source) ? last : null;
}

function fenceEndsOpen(source: string): boolean {
  const fence = /^(`{3,}|~{3,})/.exec(source)?.[1];
  if (fence === undefined) return false;
  const closing = source.slice(source.lastIndexOf('\n') + 1).trim();
  return !source.includes('\n') || !closing.startsWith(fence) || closing.replaceAll(fence.charAt(0), '') !== '';
}

/** CommonMark 4.6: raw HTML of kinds 1 to 5 goes on over blank lines until its end mark. */
function htmlEndsOpen(source: string): boolean {
  if (/^<(?:script|pre|style|textarea)\b/i.test(source)) return !/<\/(?:script|pre|style|textarea)>/i.test(source);
  if (source.startsWith('<!--')) return !source.includes('-->');
  if (source.startsWith('<?')) return !source.includes('?>');
  if (source.startsWith('<![CDATA[')) return !source.includes(']]>');
  return /^<![a-z]/i.test(source) && !source.includes('>');
}
