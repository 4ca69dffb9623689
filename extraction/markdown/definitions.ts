/** Link definitions count for the whole document, so a piece of it that uses one gets its line lent at the end. */

const definitionLine = /^ {0,3}\[(?!\^)((?:[^\][\\\n]|\\.){1,999})\]:[ \t]*\S.*$/gm;

/** The line of each definition by its label. */
export function collectDefinitions(text: string): Map<string, string> {
  const definitions = new Map<string, string>();
  for (const match of text.matchAll(definitionLine)) {
    const label = (match[1] ?? '').trim().toLowerCase();
    if (!definitions.has(label)) definitions.set(label, match[0].trim());
  }
  return definitions;
}

/** The lines that a piece needs, to stand behind it. */
export function lentDefinitions(piece: string, definitions: Map<string, string>): string {
  if (definitions.size === 0) return '';
  const lent = new Set<string>();
  for (const match of piece.matchAll(/\[((?:[^\][\\\n]|\\.){1,999})\]/g)) {
    const line = definitions.get((match[1] ?? '').trim().toLowerCase());
    if (line !== undefined) lent.add(line);
  }
  return lent.size === 0 ? '' : `\n\n${[...lent].join('\n')}\n`;
}
