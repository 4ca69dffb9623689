/** Markdown as the words that a reader sees, so that no tool wins or loses by how it writes its marks. */

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function codePoint(value: number): string {
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : ' ';
}

/**
 * The text without marks of Markdown and HTML: links as their text, images as their description, cells parted by
 * spaces, entities as what they stand for, typographic quotes and dashes as typed ones, white space as one space, none
 * between characters of languages that are written without.
 */
export function plainOf(markdown: string): string {
  return (
    markdown
      .replace(/^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$/gm, ' ')
      .replace(/\[\^[^\]]+\]:?/g, ' ')
      .replace(/!?\[((?:\\.|[^[\]\\])*)\]\((?:<[^>]*>|[^\s()]*(?:\([^()]*\))?[^\s()]*)(?:\s+"[^"]*")?\)/g, '$1')
      .replace(/<(https?:\/\/[^>\s]+|[^>\s]+@[^>\s]+)>/g, '$1')
      .replace(/<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>|<!--[\s\S]*?-->/gi, ' ')
      .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
        if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
        if (decimal !== undefined) return codePoint(Number(decimal));
        return entities[name ?? ''] ?? whole;
      })
      .replace(/^\s*(?:>\s*)*(?:#{1,6}\s+|[-*+•▪◦·o]\s+(?:\[[ xX]\]\s+)?)?/gm, ' ')
      .replace(/\\([!-/:-@[-`{-~])/g, '$1')
      .normalize('NFKC')
      .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g, '')
      .replace(/[‘’‚‛′]/g, "'")
      .replace(/[“”„‟″]/g, '"')
      .replace(/[‐‑‒–—−]/g, '-')
      .replace(/[*_`~|$]/g, ' ')
      .replace(/\s+/g, ' ')
      // What stood around a mark: "word ." is "word."
      .replace(/ (?=[,.;:!?)\]])/g, '')
      .replace(/(?<=[([]) /g, '')
      .replace(
        /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。]) (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。])/gu,
        '',
      )
      .trim()
  );
}

/** A GFM table: the words of its header, and how many rows follow. */
export interface Table {
  header: string[];
  rows: number;
}

/** Cells of a row, as words. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map(plainOf);
}

/** Every GFM table of a Markdown text, in order. */
export function tablesOf(markdown: string): Table[] {
  const lines = markdown.split('\n');
  const tables: Table[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    if (!/^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[at] ?? '')) continue;
    const header = lines[at - 1] ?? '';
    if (!header.includes('|') || !(lines[at] ?? '').includes('|')) continue;
    let end = at + 1;
    while ((lines[end] ?? '').trim() !== '' && (lines[end] ?? '').includes('|')) end += 1;
    tables.push({ header: cellsOf(header), rows: end - at - 1 });
    at = end;
  }
  return tables;
}
