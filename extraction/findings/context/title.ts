/** The title of a document. */
import { cutText } from '../../cut-text.ts';
import { MAX_TITLE_CHARACTERS, type OutlineEntry } from './outline.ts';

/** The title that the format gave, else the first heading, else null; of at most 300 characters. */
export function titleOf(given: string | null, outline: OutlineEntry[]): string | null {
  const chosen = given?.replace(/\s+/g, ' ').trim();
  return chosen === undefined || chosen === '' ? (outline[0]?.title ?? null) : cutText(chosen, MAX_TITLE_CHARACTERS);
}
