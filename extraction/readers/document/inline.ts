/** Text with emphasis, links, images and formulas -> Markdown of one paragraph. */
import { escapeInline } from '../../markdown/write.ts';
import type { Inline, Mark } from './blocks.ts';
import { hardPage, softPage, withoutControls } from './page-marks.ts';

type Text = Extract<Inline, { kind: 'text' }>;

const delimiters: readonly [Mark, string][] = [
  ['bold', '**'],
  ['italic', '*'],
  ['strike', '~~'],
];

/** The Markdown of a paragraph's content; line breaks are "\n". Marks in `drop` are left out. */
export function writeInline(content: readonly Inline[], drop: readonly Mark[] = []): string {
  return writeLinks(joinTexts(content, drop));
}

/** Joins adjacent texts with the same formatting: one word may be stored in several runs. */
function joinTexts(content: readonly Inline[], drop: readonly Mark[]): Inline[] {
  const joined: Inline[] = [];
  for (const inline of content) {
    if (inline.kind !== 'text') {
      joined.push(inline);
      continue;
    }
    const text = withoutControls(inline.text).replace(/[\t\n\r\u00a0]/g, ' ');
    const isCode = inline.marks.has('code');
    // Code spans cannot contain emphasis, which programs use for syntax highlighting.
    const marks = new Set([...inline.marks].filter((mark) => !drop.includes(mark) && (mark === 'code' || !isCode)));
    const last = joined.at(-1);
    if (last?.kind === 'text' && last.href === inline.href && sameMarks(last.marks, marks)) last.text += text;
    else if (text !== '') joined.push({ ...inline, text, marks });
  }
  return joined;
}

function sameMarks(one: ReadonlySet<Mark>, other: ReadonlySet<Mark>): boolean {
  return one.size === other.size && [...one].every((mark) => other.has(mark));
}

function writeLinks(content: Inline[]): string {
  const pieces: string[] = [];
  let end = 0;
  let last = '';
  for (const group of groups(content, (inline) => (inline.kind === 'text' ? inline.href : null))) {
    const [first] = group;
    const href = first?.kind === 'text' ? first.href : null;
    end += group.length;
    const piece = href === null ? writeMarks(group, 0, last, content[end]) : linkOf(href, group);
    pieces.push(piece);
    last = piece.at(-1) ?? last;
  }
  return pieces.join('');
}

function linkOf(href: string, group: Inline[]): string {
  const text = group.map((inline) => (inline.kind === 'text' ? inline.text : '')).join('');
  if (text.trim() === '') return writeMarks(group, 0, '', undefined);
  const bare = href.replace(/^mailto:/i, '');
  if (text.trim() === bare && /^[\w.+-]+@|^https?:\/\//i.test(bare)) return text;
  const [before, inner, after] = withinSpaces(writeMarks(group, 0, '', undefined));
  return `${before}[${inner.replace(/(?<!\\)[[\]](?![([])/g, '\\$&')}](${destination(href)})${after}`;
}

/** A link destination, in "<>" where spaces or parentheses would end it. */
export function destination(address: string): string {
  const clean = withoutControls(address).trim();
  return /[\s()<>]/.test(clean) ? `<${clean.replace(/\s/g, '%20').replace(/</g, '%3C').replace(/>/g, '%3E')}>` : clean;
}

/** Markdown of content with the marks from `depth` on. `before` is the preceding character, `next` the next inline. */
function writeMarks(content: Inline[], depth: number, before: string, next: Inline | undefined): string {
  const [mark, sign] = delimiters[depth] ?? [];
  if (mark === undefined || sign === undefined) return content.map(writeLeaf).join('');
  const pieces: string[] = [];
  let last = before;
  const all = groups(content, (inline) => (inline.kind === 'text' ? inline.marks.has(mark) : null));
  for (const [at, group] of all.entries()) {
    const following = all[at + 1]?.[0] ?? next;
    const inner = writeMarks(group, depth + 1, last, following);
    const [first] = group;
    const isMarked = first?.kind === 'text' && first.marks.has(mark);
    const piece = isMarked ? emphasise(inner, sign, last, firstCharacter(following)) : inner;
    pieces.push(piece);
    last = piece.at(-1) ?? last;
  }
  return pieces.join('');
}

/**
 * Text in emphasis delimiters, with white space outside. CommonMark does not accept a delimiter between a word and
 * punctuation, so such punctuation goes outside too.
 */
function emphasise(inner: string, sign: string, before: string, after: string): string {
  const lead = /^[\s\uFFFE\uFFFF]*/.exec(inner)?.[0] ?? '';
  // The lookbehind keeps the search linear: without it each space of a run starts a search.
  const trail = /(?<![\s\uFFFE\uFFFF])[\s\uFFFE\uFFFF]+$/.exec(inner.slice(lead.length))?.[0] ?? '';
  const core = inner.slice(lead.length, inner.length - trail.length);
  const open = lead === '' && isWord(before) ? (/^[.,:;!?)»”’…–—、。，；：！？]+/.exec(core)?.[0] ?? '') : '';
  const close =
    trail === '' && isWord(after)
      ? (/(?<![.,:;!?»”’…–—、。，；：！？])[.,:;!?»”’…–—、。，；：！？]+$/.exec(core.slice(open.length))?.[0] ?? '')
      : '';
  const marked = core.slice(open.length, core.length - close.length);
  if (marked === '') return inner;
  const isInvalid =
    (lead === '' && open === '' && isWord(before) && isPunctuation(marked.charAt(0))) ||
    (trail === '' && close === '' && isWord(after) && isPunctuation(marked.at(-1) ?? ''));
  return isInvalid ? inner : `${lead}${open}${sign}${marked}${sign}${close}${trail}`;
}

function firstCharacter(inline: Inline | undefined): string {
  return inline?.kind === 'text' ? inline.text.charAt(0) : '';
}

function isWord(character: string): boolean {
  return /^[\p{L}\p{N}_]$/u.test(character);
}

function isPunctuation(character: string): boolean {
  return /^[\p{P}\p{S}]$/u.test(character);
}

function writeLeaf(inline: Inline): string {
  switch (inline.kind) {
    case 'text':
      return inline.marks.has('code') ? codeSpan(inline) : escapeInline(inline.text);
    case 'image':
      return `![${oneLine(inline.alt).replace(/[[\]]/g, '\\$&')}](${destination(inline.source)})`;
    case 'formula':
      return inline.display ? `$$${inline.latex}$$` : `$${inline.latex}$`;
    case 'note':
      return `[^${inline.label}]`;
    case 'break':
      return '\n';
    case 'page':
      return inline.hard ? hardPage : softPage;
  }
}

function codeSpan({ text }: Text): string {
  const [before, code, after] = withinSpaces(text);
  if (code === '') return text;
  const fence = '`'.repeat(longestTicks(code) + 1);
  const pad = /^`|`$/.test(code) ? ' ' : '';
  return `${before}${fence}${pad}${code}${pad}${fence}${after}`;
}

/** The length of the longest run of backticks in a text. */
export function longestTicks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** The white space before a text, the text and the white space after it. */
function withinSpaces(text: string): [before: string, inner: string, after: string] {
  const inner = text.trim();
  const start = text.length - text.trimStart().length;
  return [text.slice(0, start), inner, text.slice(start + inner.length)];
}

/** The text with runs of white space as single spaces. */
export function oneLine(text: string): string {
  return withoutControls(text).replace(/\s+/g, ' ').trim();
}

/** Groups of adjacent inlines with the same key. */
function groups(content: readonly Inline[], by: (inline: Inline) => boolean | string | null): Inline[][] {
  const grouped: Inline[][] = [];
  let last: boolean | string | null | undefined;
  for (const inline of content) {
    const key = by(inline);
    if (key === last) grouped.at(-1)?.push(inline);
    else grouped.push([inline]);
    last = key;
  }
  return grouped;
}
