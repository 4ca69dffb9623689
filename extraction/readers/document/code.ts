/** Paragraphs that are code: by their style, or because all text is in a monospaced font. */
import { type Block, type Inline, plainTextOf } from './blocks.ts';

/** Monospaced fonts, by the beginning of their names; OpenDocument may have them in quotes. */
export const monospaced =
  /^['"]?(?:courier|consolas|monaco|menlo|lucida console|source code|fira (?:code|mono)|jetbrains|cascadia|andale|(?:dejavu|liberation|roboto|ubuntu|ibm plex|noto) ?(?:sans )?mono|sf mono|inconsolata)/i;

/** Whether a paragraph of this role is code; a link in a monospaced font is not. */
export function isCode(role: string, inlines: readonly Inline[]): boolean {
  const onlyText = inlines.every(({ kind }) => kind === 'text' || kind === 'break' || kind === 'page');
  if (!onlyText || role === 'code') return onlyText;
  const texts = inlines.filter((inline) => inline.kind === 'text').filter(({ text }) => text.trim() !== '');
  return texts.length > 0 && texts.every(({ marks, href }) => marks.has('code') && href === null);
}

/** The paragraph as a code block; word processors store its spaces as non-breaking spaces. */
export function codeBlock(inlines: readonly Inline[]): Extract<Block, { kind: 'code' }> {
  return { kind: 'code', text: plainTextOf(inlines).replaceAll('\u00a0', ' ').trimEnd(), language: '' };
}
