/** Writing Markdown: text that reads the same, code, tables. */

/** A fenced code block, its fence longer than any inside. */
export function fenced(code: string, language: string): string {
  let fence = '```';
  for (const match of code.matchAll(/^\s*(`{3,})/gm)) {
    if ((match[1]?.length ?? 0) >= fence.length) fence = `${match[1]}\``;
  }
  return `${fence}${language}\n${code}\n${fence}`;
}

/**
 * Plain text as Markdown that reads the same. Paragraphs and lines stay where they are, and so does what people mean by
 * lists, quotes, underlined titles and indented blocks. Escaped is only what a Markdown reader would swallow or turn
 * into something else: HTML tags, entities, emphasis marks, link brackets, backticks, backslashes, a "#" that begins a
 * line. Addresses stay as they are, so that they remain links.
 */
export function escapeText(text: string): string {
  const lines = text.split('\n');
  let blank = true;
  let indented = false;
  let paragraphLines = 0;
  return lines
    .map((line) => {
      if (line.trim() === '') {
        blank = true;
        paragraphLines = 0;
        return '';
      }
      indented = /^(?: {4}|\t)/.test(line) && (blank || indented);
      blank = false;
      if (indented) return line;
      const underline = /^ {0,3}(?:=+|-+)[ \t]*$/.test(line);
      // An underline below one line is a title; below a longer paragraph it would swallow all of it.
      const escaped = underline && paragraphLines > 1 ? `\\${line.trim()}` : escapeLine(line);
      paragraphLines += 1;
      return escaped;
    })
    .join('\n');
}

function escapeLine(line: string): string {
  return escapeInline(line)
    .replace(/^( {0,3})(#{1,6})(?=[ \t]|$)/, '$1\\$2')
    .replace(/^( {0,3})(~{3,})/, '$1\\$2')
    .replace(/^( {0,3}\[[^\]]+\])(?=:)/, '$1\\');
}

/** A name before "@" has at most 64 characters (RFC 5321, 4.5.3.1.1), and looking for a longer one takes its square. */
const address = /\b(?:https?:\/\/|www\.)[^\s<>"'`]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;

/** Text of a paragraph, with a backslash before what Markdown would not show as it is written. */
export function escapeInline(text: string): string {
  let escaped = '';
  let last = 0;
  for (const match of text.matchAll(address)) {
    escaped += escapeMarks(text.slice(last, match.index)) + match[0];
    last = match.index + match[0].length;
  }
  return escaped + escapeMarks(text.slice(last));
}

function escapeMarks(text: string): string {
  if (!/[\\`*_~<&[\]]/.test(text)) return text;
  return text
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/(^\s*)?\*+/g, (run, indent: string | undefined, at: number, whole: string) => {
      const before = whole.charAt(at - 1);
      const after = whole.charAt(at + run.length);
      if (/^$|\s/.test(after) && (indent !== undefined ? run.trim() === '*' && after !== '' : /\s/.test(before)))
        return run;
      return run.replaceAll('*', '\\*');
    })
    .replace(/_+/g, (run, at: number, whole: string) => {
      const inWord = isWord(whole.charAt(at - 1)) && isWord(whole.charAt(at + run.length));
      return inWord ? run : run.replaceAll('_', '\\_');
    })
    .replace(/~+/g, (run) => (run.length <= 2 ? run.replaceAll('~', '\\~') : run))
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/&(?=#?\w{1,32};)/g, '\\&')
    .replace(/\](?=[([])/g, '\\]')
    .replace(/\[(?=\^)/g, '\\[');
}

function isWord(character: string): boolean {
  return /^[\p{L}\p{N}]$/u.test(character);
}

/** A table in GFM: each row as many cells as the header, which may be empty. Cells are Markdown of one line. */
export function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), header.length);
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: columns }, (_, at) => cellText(cells[at] ?? '')).join(' | ')} |`;
  return [line(header), `|${' --- |'.repeat(columns)}`, ...rows.map(line)].join('\n');
}

/** Markdown as the content of a cell: on one line, its lines parted by `<br>`. */
function cellText(markdown: string): string {
  return markdown
    .trim()
    .replace(/(?<!\\)\|/g, '\\|')
    .replace(/(?<!\s)\s*\n\s*/g, '<br>');
}
