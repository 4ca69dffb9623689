/** Instructions of fields. */

/** The address that a HYPERLINK names, or null for places within the document. */
export function hyperlinkOf(instruction: string): string | null {
  const address = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]\S*))/i.exec(instruction);
  const href = address?.[1] ?? address?.[2] ?? '';
  return /^(?:https?|ftp|mailto):/i.test(href) ? href : null;
}

/** Whether a field gathers what stands elsewhere in the document. */
export function isContents(instruction: string): boolean {
  return /^\s*(?:TOC|INDEX)\b/i.test(instruction);
}
