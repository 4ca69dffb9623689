/** Markdown that was written as Markdown: kept as it is. */
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
  emptiness: 'The document is nothing but white space.',
  looks: ({ text }) => (looksLikeMarkdown(text) ? 'likely' : null),
  special: [conversation],
  read({ text }, limits) {
    // None of it gets shorter, and what follows takes its memory several times.
    assertWithin(limits, 'characters', text.length);
    return markdownFromText(text);
  },
};

/** The text itself; its title is the one of its YAML front matter, where it has any. */
function markdownFromText(text: string): Reading {
  const head = text.slice(0, 64 * 1024);
  const yaml = frontMatter.exec(head)?.[1] ?? '';
  return { markdown: text, title: scalar(yaml, 'title'), languageHint: scalar(yaml, 'lang(?:uage)?') };
}

/** A top-level plain or quoted scalar of YAML; block scalars and anchors are not titles. */
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

/** What only Markdown has: a heading on lines of its own or a link is enough; of the others it takes two. */
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

/** True for text that means its Markdown marks. */
function looksLikeMarkdown(text: string): boolean {
  const sample = text.slice(0, sampleLength);
  if (frontMatter.test(sample) && /^[a-z][\w-]*:[ \t]/im.test(sample)) return true;
  return (
    hasClosedFence(sample) ||
    sure.some((pattern) => pattern.test(sample)) ||
    likely.filter((pattern) => pattern.test(sample)).length >= 2
  );
}

/** A fence that a later line closes (CommonMark 4.5). */
function hasClosedFence(text: string): boolean {
  let open = '';
  for (const [, fence = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,})([^`\n]*)$/gm)) {
    if (open === '') open = fence;
    else if (fence.length >= open.length && rest.trim() === '') return true;
  }
  return false;
}
