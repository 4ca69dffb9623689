/** Plain text of Markdown, so that tools are compared by their words and not by their Markdown style. */

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function codePoint(value: number): string {
  return value > 0 && value <= 0x10ffff ? String.fromCodePoint(value) : ' ';
}

/** Replaces entities by their characters. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return codePoint(Number(decimal));
      return entities[name ?? ''] ?? whole;
    },
  );
}

/** Replaces typographic quotes and dashes by their ASCII forms; removes invisible characters. */
export function plainCharacters(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g, '')
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[“”„‟″]/g, '"')
    .replace(/[‐‑‒–—−]/g, '-');
}

/** Collapses white space to one space, and to none between Chinese and Japanese characters. */
export function collapseSpace(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(
      /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。]) (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。])/gu,
      '',
    )
    .trim();
}

/**
 * Removes Markdown and HTML syntax: links become their text, images their alt text, entities their characters,
 * typographic quotes and dashes their ASCII forms. Table cells are separated by spaces; white space collapses to one
 * space, and to none between Chinese and Japanese characters.
 */
export function plainOf(markdown: string): string {
  const text = markdown
    .replace(/^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$/gm, ' ')
    .replace(/\[\^[^\]]+\]:?/g, ' ')
    .replace(/!?\[((?:\\.|[^[\]\\])*)\]\((?:<[^>]*>|[^\s()]*(?:\([^()]*\))?[^\s()]*)(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/<(https?:\/\/[^>\s]+|[^>\s]+@[^>\s]+)>/g, '$1')
    .replace(/<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>|<!--[\s\S]*?-->/gi, ' ');
  const unescaped = decodeEntities(text)
    .replace(/^\s*(?:>\s*)*(?:#{1,6}\s+|[-*+•▪◦·o]\s+(?:\[[ xX]\]\s+)?)?/gm, ' ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
  return collapseSpace(
    plainCharacters(unescaped)
      .replace(/[*_`~|$]/g, ' ')
      .replace(/\s+/g, ' ')
      // Spaces left where syntax was removed: "word ." becomes "word."
      .replace(/ (?=[,.;:!?)\]])/g, '')
      .replace(/(?<=[([]) /g, ''),
  );
}

/** A GFM table: the plain text of its header cells, and the number of rows below. */
export interface Table {
  header: string[];
  rows: number;
}

/** Plain text of the cells of a row. */
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
