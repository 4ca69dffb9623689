/**
 * Marks for page starts in the Markdown while it is built. They are characters that XML text cannot contain, so a
 * document has none of them.
 */

export const hardPage = '\uFFFE';
export const softPage = '\uFFFF';

/** The text without page marks, control characters and zero-width spaces. */
export function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff\u200b\ufffe\uffff]/g, '');
}

/** The marks of a text, in order, and the text without them. */
export function splitMarks(text: string): { marks: string; rest: string } {
  let marks = '';
  const rest = text.replace(/[\uFFFE\uFFFF]/g, (mark) => {
    marks += mark;
    return '';
  });
  return { marks, rest };
}

/** The marks at the beginning of a text, and the rest of the text. */
export function leadingMarks(text: string): { marks: string; rest: string } {
  const [all = '', space = '', marks = ''] = /^(\s*)((?:[\uFFFE\uFFFF]\s*)*)/.exec(text) ?? [];
  return { marks: marks.replace(/\s/g, ''), rest: space + text.slice(all.length) };
}

/**
 * The Markdown without marks, and the offsets of its pages: each starts at its first visible character. `starts` is
 * null
 * for a document of one page.
 */
export function placePages(marked: string): { markdown: string; starts: number[] | null } {
  let markdown = '';
  const starts = [0];
  /** Whether the current page has visible text. */
  let hasText = false;
  for (const piece of marked.split(/([\uFFFE\uFFFF])/)) {
    if (piece !== hardPage && piece !== softPage) {
      markdown += piece;
      hasText ||= piece.trim() !== '';
    } else if (hasText || (piece === hardPage && starts.length > 1)) {
      starts.push(markdown.length);
      hasText = false;
    }
  }
  const text = markdown.trimEnd();
  const placed = starts
    .map((start) => start + (/^\s*/.exec(text.slice(start, start + 1_000))?.[0].length ?? 0))
    .filter((start) => start < text.length);
  return { markdown: text, starts: placed.length > 1 ? placed : null };
}
