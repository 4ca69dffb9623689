/** Markdown as a tree of blocks (mdast, CommonMark with GFM), with positions within the whole text. */
import type { Nodes, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString as textOf } from 'mdast-util-to-string';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { capNesting } from './nesting.ts';
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

export type ParseOptions = {
  /** False leaves links, emphasis and the like inside paragraphs as they are written. */
  inline: boolean;
};

/**
 * The top-level blocks in order. Every position's offsets and lines are those of the whole text. Nesting beyond a
 * sensible depth stays unparsed text, so the time is bounded by the length.
 */
export function parseMarkdown(markdown: string, { inline }: ParseOptions): RootContent[] {
  const capped = capNesting(markdown.replace(/\r(?!\n)/g, '\n').replace(/^\uFEFF/, ' '));
  const definitions = inline ? collectDefinitions(capped.text) : new Map<string, string>();
  const blocks: RootContent[] = [];
  let line = 0;
  for (let start = 0; start < capped.text.length; ) {
    let end = nextCut(capped.text, start);
    let children = parseSegment(capped.text, start, end, inline, definitions);
    while (end < capped.text.length && endsOpen(children, capped.text.slice(start, end))) {
      end = nextCut(capped.text, start, (end - start) * 2);
      children = parseSegment(capped.text, start, end, inline, definitions);
    }
    const length = end - start;
    for (const child of children) {
      // What lies beyond the segment are the definitions that were lent to it.
      if ((child.position?.start.offset ?? 0) >= length) continue;
      shift(child, start, line, capped.restore);
      blocks.push(child);
    }
    line += countLines(capped.text, start, end);
    start = end;
  }
  return blocks;
}

function parseSegment(
  text: string,
  start: number,
  end: number,
  inline: boolean,
  definitions: Map<string, string>,
): RootContent[] {
  const segment = text.slice(start, end);
  const whole = start === 0 && end === text.length;
  const extensions = [gfm()];
  if (start === 0) extensions.push(frontmatter(['yaml']));
  if (!inline) extensions.push({ disable: { null: inlineConstructs } });
  return fromMarkdown(whole ? segment : segment + lentDefinitions(segment, definitions), {
    extensions,
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown(['yaml'])],
  }).children;
}

const definitionLine = /^ {0,3}\[(?!\^)((?:[^\][\\\n]|\\.){1,999})\]:[ \t]*\S.*$/gm;

/** Link definitions count for the whole document, so a segment that uses one gets its line lent at the end. */
function collectDefinitions(text: string): Map<string, string> {
  const definitions = new Map<string, string>();
  for (const match of text.matchAll(definitionLine)) {
    const label = (match[1] ?? '').trim().toLowerCase();
    if (!definitions.has(label)) definitions.set(label, match[0].trim());
  }
  return definitions;
}

function lentDefinitions(segment: string, definitions: Map<string, string>): string {
  if (definitions.size === 0) return '';
  const lent = new Set<string>();
  for (const match of segment.matchAll(/\[((?:[^\][\\\n]|\\.){1,999})\]/g)) {
    const line = definitions.get((match[1] ?? '').trim().toLowerCase());
    if (line !== undefined) lent.add(line);
  }
  return lent.size === 0 ? '' : `\n\n${[...lent].join('\n')}\n`;
}

/** True when the segment ends within a fence or a raw HTML block that goes on behind it. */
function endsOpen(children: RootContent[], segment: string): boolean {
  const last = children.findLast((child) => (child.position?.start.offset ?? 0) < segment.length);
  if (last === undefined) return false;
  const source = segment.slice(last.position?.start.offset ?? 0, last.position?.end.offset ?? segment.length).trimEnd();
  if (last.type === 'code') {
    const fence = /^(`{3,}|~{3,})/.exec(source)?.[1];
    if (fence === undefined) return false;
    const closing = source.slice(source.lastIndexOf('\n') + 1).trim();
    return !source.includes('\n') || !closing.startsWith(fence) || closing.replaceAll(fence.charAt(0), '') !== '';
  }
  if (last.type === 'html') return htmlEndsOpen(source);
  return false;
}

/** CommonMark 4.6: raw HTML of kinds 1 to 5 goes on over blank lines until its end mark. */
function htmlEndsOpen(source: string): boolean {
  if (/^<(?:script|pre|style|textarea)\b/i.test(source)) return !/<\/(?:script|pre|style|textarea)>/i.test(source);
  if (source.startsWith('<!--')) return !source.includes('-->');
  if (source.startsWith('<?')) return !source.includes('?>');
  if (source.startsWith('<![CDATA[')) return !source.includes(']]>');
  return /^<![a-z]/i.test(source) && !source.includes('>');
}

function shift(node: Nodes, offset: number, lines: number, restore: (piece: string) => string): void {
  const pending: Nodes[] = [node];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    if (current.position !== undefined) {
      const { start, end } = current.position;
      start.offset = (start.offset ?? 0) + offset;
      end.offset = (end.offset ?? 0) + offset;
      start.line += lines;
      end.line += lines;
    }
    if ('value' in current) current.value = restore(current.value);
    if ('children' in current) pending.push(...current.children);
  }
}

function countLines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Offsets of a node within the whole text; a node without a position (none that the parser makes) is empty. */
export function spanOf(node: Nodes): { start: number; end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

/** The readable text of one block's Markdown, without its marks, on one line. */
export function plainText(markdown: string): string {
  if (!/[\\`*_~[\]<&:@#=\n]/.test(markdown)) return markdown.trim();
  return parseMarkdown(markdown, { inline: true })
    .map((block) => textOf(block))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
