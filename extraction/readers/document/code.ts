/** Paragraphs that are code: in a style for it, or in a typewriter's font throughout. */
import { type Block, type Inline, plainTextOf } from './blocks.ts';

/** Typewriters' fonts, by how their names begin; OpenDocument may have them in quotes. */
export const monospaced =
  /^['"]?(?:courier|consolas|monaco|menlo|lucida console|source code|fira (?:code|mono)|jetbrains|cascadia|andale|(?:dejavu|liberation|roboto|ubuntu|ibm plex|noto) ?(?:sans )?mono|sf mono|inconsolata)/i;

/** Whether a paragraph of that role is code: a link in a typewriter's font is none. */
export function isCode(role: string, inlines: readonly Inline[]): boolean {
  const onlyText = inlines.every(({ kind }) => kind === 'text' || kind === 'break' || kind === 'page');
  if (!onlyText || role === 'code') return onlyText;
  const texts = inlines.filter((inline) => inline.kind === 'text').filter(({ text }) => text.trim() !== '');
  return texts.length > 0 && texts.every(({ marks, href }) => marks.has('code') && href === null);
}

/** The code of a paragraph; programs keep its spaces as non-breaking ones. */
export function codeBlock(inlines: readonly Inline[]): Extract<Block, { kind: 'code' }> {
  return { kind: 'code', text: plainTextOf(inlines).replaceAll('\u00a0', ' ').trimEnd(), language: '' };
}
