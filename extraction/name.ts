/** A name for content without one. Computed during the request, so only the first 8,192 characters are read. */
import { fenceAfter } from './markdown/demote.ts';

const headLength = 8192;
const maxNameCodePoints = 200;
export const untitled = 'Untitled';

/**
 * The first heading within the first 8,192 characters, else the first line with a letter, digit or symbol, without
 * Markdown syntax: 1 to 200 code points, no control characters, no lone surrogates. 'Untitled' when there is neither.
 * A conversation is named after its first message, HTML after its title. Never throws. The time does not depend on the
 * length of the text.
 */
export function nameFromContent(text: string): string {
  const head = text.slice(0, headLength).toWellFormed().replace(/\r\n?/g, '\n');
  for (const candidate of candidates(head)) {
    const name = cleanName(candidate);
    if (/[\p{L}\p{N}\p{S}]/u.test(name.replaceAll('\uFFFD', ''))) return name;
  }
  return untitled;
}

const label = /^(?:#{1,6} +)?(?:\*\*|__)?(?:user|you|human|me|prompt)(?: said)?(?:\*\*|__)?:?(?:\*\*|__)?(?: +|$)/i;
const openingLabel =
  /^(?:#{1,6} +)?(?:\*\*|__)?(?:user|you|human|me|prompt)(?:(?: said)?(?:\*\*|__)?:|(?: said)?(?:\*\*|__)?$|(?<=^#.*)$)/i;

function* candidates(head: string): Generator<string> {
  const frontMatter = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(head);
  const title = /^title:[ \t]*(["']?)(.+?)\1[ \t]*$/im.exec(frontMatter?.[1] ?? '')?.[2];
  if (title !== undefined) yield title;
  const body = frontMatter === null ? head : head.slice(frontMatter[0].length);

  const start = body.trimStart();
  if (/^<(?:!doctype|html|head|body|\?xml|[a-z]+[\s>])/i.test(start)) {
    for (const element of ['title', 'h1', 'h2']) {
      const found = new RegExp(`<${element}(?:\\s[^>]*)?>([^<]+)`, 'i').exec(start)?.[1];
      if (found !== undefined) yield found;
    }
    yield* start
      .replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, '')
      .replace(/<[^>]*(?:>|$)/g, '\n')
      .split('\n');
    return;
  }
  if (/^[[{]/.test(start)) {
    const named = /"(?:title|name|content)"\s*:\s*"((?:[^"\\\n]|\\.){1,1000})"/.exec(start)?.[1];
    if (named !== undefined) yield named.replace(/\\[nrt]/g, ' ').replace(/\\(["\\/])/g, '$1');
  }

  const lines = body.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  if (openingLabel.test((lines[first] ?? '').trim())) {
    yield (lines[first] ?? '').trim().replace(label, '');
    yield* lines.slice(first + 1);
    return;
  }
  yield* headingsOf(lines);
  yield* lines;
}

function* headingsOf(lines: string[]): Generator<string> {
  let open: string | null = null;
  for (const [index, line] of lines.entries()) {
    open = fenceAfter(line, open);
    if (open !== null) continue;
    const atx = /^ {0,3}#{1,6}[ \t]+(.*)$/.exec(line)?.[1];
    if (atx !== undefined) yield atx.replace(/[ \t]+#+[ \t]*$/, '');
    const alone = line.trim() !== '' && (lines[index - 1] ?? '').trim() === '';
    if (alone && /^ {0,3}(?:={2,}|-{2,})[ \t]*$/.test(lines[index + 1] ?? '')) yield line;
  }
}

function cleanName(candidate: string): string {
  const text = candidate
    .slice(0, 4 * maxNameCodePoints)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (/[\u200c\u200d]/.test(character) ? character : ' '))
    .replace(/^\s*(?:(?:[-*+]|\d+[.)]|>|#{1,6})\s+|`{3,}\S*|~{3,}\S*|\[[ x]\]\s+)+/i, '')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/[`*]+|~~|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, entity: string) => entities[entity] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return Array.from(text).slice(0, maxNameCodePoints).join('').trim();
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };
