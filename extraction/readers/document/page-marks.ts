/**
 * Where pages begin, kept within the Markdown while it is put together. The marks are characters that no XML text can
 * hold, so nothing of a document is taken for one.
 */

export const hardPage = '\uFFFE';
export const softPage = '\uFFFF';

/** The text without characters that only marks may be, and that no reader sees. */
export function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff\u200b\ufffe\uffff]/g, '');
}

/** The marks that a text has, in order, and the text without them. */
export function splitMarks(text: string): { marks: string; rest: string } {
  let marks = '';
  const rest = text.replace(/[\uFFFE\uFFFF]/g, (mark) => {
    marks += mark;
    return '';
  });
  return { marks, rest };
}

/** Marks that a text begins with, and what follows them. */
export function leadingMarks(text: string): { marks: string; rest: string } {
  const [all = '', space = '', marks = ''] = /^(\s*)((?:[\uFFFE\uFFFF]\s*)*)/.exec(text) ?? [];
  return { marks: marks.replace(/\s/g, ''), rest: space + text.slice(all.length) };
}

/**
 * The Markdown without marks, and where each page begins in it (the first at 0), or null where no page ends. Each
 * begins at its first visible character.
 */
export function placePages(marked: string): { markdown: string; starts: number[] | null } {
  let markdown = '';
  const starts = [0];
  // What is seen since the last page began.
  let seen = false;
  for (const piece of marked.split(/([\uFFFE\uFFFF])/)) {
    if (piece !== hardPage && piece !== softPage) {
      markdown += piece;
      seen ||= piece.trim() !== '';
    } else if (seen || (piece === hardPage && starts.length > 1)) {
      starts.push(markdown.length);
      seen = false;
    }
  }
  const text = markdown.trimEnd();
  const placed = starts
    .map((start) => start + (/^\s*/.exec(text.slice(start, start + 1_000))?.[0].length ?? 0))
    .filter((start) => start < text.length);
  return { markdown: text, starts: placed.length > 1 ? placed : null };
}
