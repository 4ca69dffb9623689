/** Kinds of which nothing more is known than their text. */
import { countCodePoints, countWords } from '../../context/statistics.ts';

/** Words, and characters as Unicode code points. */
export function enrichText(content: string): { words: number; characters: number } {
  return { words: countWords(content), characters: countCodePoints(content) };
}
