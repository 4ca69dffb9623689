/** Bounds of what one source may hold. Beyond them extraction ends with `extraction_limit`, never with a cut text. */
import { SourceError } from '../contract/errors.ts';

/** UTF-16 code units of Markdown; four times the largest pasted text. */
export const maxMarkdownLength = 20 * 1024 * 1024;
export const maxPdfPages = 2000;
/** Elements and texts of one HTML page; the largest page of the single-page HTML standard has some 400,000. */
export const maxHtmlNodes = 1_000_000;
export const maxArtifacts = 5000;
export const maxJsonDepth = 200;

/** Returns the Markdown unchanged, or throws `extraction_limit` when it is longer than one source may hold. */
export function assertMarkdownLength(markdown: string): string {
  if (markdown.length > maxMarkdownLength) {
    throw new SourceError(
      'extraction_limit',
      `The content makes ${markdown.length} characters of text; the most is ${maxMarkdownLength}.`,
    );
  }
  return markdown;
}
