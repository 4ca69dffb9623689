/** Markdown, which is kept unchanged. */
import type { Reading } from '../../content.ts';
import { assertWithin } from '../../limits.ts';
import { conversation } from './conversation.ts';
import type { TextFormat } from './format.ts';

const frontMatter = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;

export const markdown: TextFormat = {
  kind: 'text',
  name: 'markdown',
  label: 'a Markdown document',
  mediaTypes: ['text/markdown', 'text/x-markdown'],
  extensions: ['md', 'markdown', 'mdown', 'mkd', 'mdx'],
  parser: null,
  emptyMessage: 'The document contains only white space.',
  detect: ({ text }) => (looksLikeMarkdown(text) ? 'likely' : null),
  subformats: [conversation],
  read({ text }, limits) {
    // Checked first: the text does not get shorter, and later steps need a multiple of its memory.
    assertWithin(limits, 'characters', text.length);
    return markdownFromText(text);
  },
};

/** The text itself, with title and language from its YAML front matter. */
function markdownFromText(text: string): Reading {
  const head = text.slice(0, 64 * 1024);
  const yaml = frontMatter.exec(head)?.[1] ?? '';
  return { markdown: text, title: scalar(yaml, 'title'), languageHint: scalar(yaml, 'lang(?:uage)?') };
}

/** A plain or quoted scalar at the top level of YAML; null for block scalars, anchors and missing keys. */
function scalar(yaml: string, key: string): string | null {
  const value = new RegExp(`^${key}:[ \\t]+(.+?)[ \\t]*$`, 'im').exec(yaml)?.[1];
  if (value === undefined || /^[|>&*{[]/.test(value)) return null;
  const quoted = /^(["'])(.*)\1$/.exec(value);
  const text = (quoted?.[2] ?? value.replace(/(?<!\s)\s+#.*$/, '')).trim();
  return text === '' ? null : text;
}

/** Text without the YAML front matter at its beginning. */
export function withoutFrontMatter(text: string): string {
  return text.startsWith('---') ? text.replace(frontMatter, '') : text;
}

const sampleLength = 200_000;

/**
 * Syntax that detects Markdown: one of `sure` (a link, a heading between blank lines) or two of `likely` are enough.
 */
const sure = [/\[[^\][\n]+\]\(https?:[^)\s]+\)/, /(?:^|\n[ \t]*\n)#{1,6} \S[^\n]*(?:\n[ \t]*(?:\n|$)|$)/];
const likely = [
  /^#{1,6} \S.*\n/m,
  /(?:^|\s)\*\*[^\s*][^*\n]*\*\*/,
  /^[ \t]{0,80}(?:\|[ \t]{0,80})?:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)+\|?[ \t]*$/m,
  /(?:^|\s)`[^`\n]+`/,
  /^[-*+] \[[ x]\] /m,
  /^(?:[-*+] \S.*\n){2,}/m,
  /^> \S/m,
];

/** True for text with enough Markdown syntax, so that it is not there by chance. */
function looksLikeMarkdown(text: string): boolean {
  const sample = text.slice(0, sampleLength);
  if (frontMatter.test(sample) && /^[a-z][\w-]*:[ \t]/im.test(sample)) return true;
  return (
    hasClosedFence(sample) ||
    sure.some((pattern) => pattern.test(sample)) ||
    likely.filter((pattern) => pattern.test(sample)).length >= 2
  );
}

/** True where a code fence is closed by a later line (CommonMark 4.5). */
function hasClosedFence(text: string): boolean {
  let open = '';
  for (const [, fence = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,})([^`\n]*)$/gm)) {
    if (open === '') open = fence;
    else if (fence.length >= open.length && rest.trim() === '') return true;
  }
  return false;
}
