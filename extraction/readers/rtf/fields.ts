/** Instructions of fields. */

/** The URL of a HYPERLINK instruction, or null for a place within the document. */
export function hyperlinkOf(instruction: string): string | null {
  const address = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]\S*))/i.exec(instruction);
  const href = address?.[1] ?? address?.[2] ?? '';
  return /^(?:https?|ftp|mailto):/i.test(href) ? href : null;
}

/** Whether a field is a table of contents or an index. */
export function isContents(instruction: string): boolean {
  return /^\s*(?:TOC|INDEX)\b/i.test(instruction);
}
