/** Every read of a source parses its outline, and every page of chunks comes with all turns and parts. */
import type { ExtractedContext, ReadingWarning } from '../../../contract/extraction.ts';
import { cutText } from '../../cut-text.ts';

/** Headings, turns and parts that a context lists, each. */
const MAX_LISTED = 5_000;
const MAX_SPEAKER_CHARACTERS = 300;

type Lists = Pick<ExtractedContext, 'outline' | 'turns' | 'parts'>;
const listed = [
  ['outline', 'headings'],
  ['turns', 'turns'],
  ['parts', 'parts'],
] as const;

/** The first headings, turns and parts of a document, with a warning for each list that was longer. */
export function boundLists({ outline, turns, parts }: Lists): Lists & { warnings: ReadingWarning[] } {
  const all = { outline, turns, parts };
  return {
    outline: outline.slice(0, MAX_LISTED),
    turns: turns
      .slice(0, MAX_LISTED)
      .map((turn) => ({ ...turn, speaker: cutText(turn.speaker, MAX_SPEAKER_CHARACTERS) })),
    parts: parts.slice(0, MAX_LISTED),
    warnings: listed.flatMap(([list, things]) => {
      const count = all[list].length;
      if (count <= MAX_LISTED) return [];
      return [{ code: `${list}_cut`, message: `Of ${count} ${things}, \`${list}\` has the first ${MAX_LISTED}.` }];
    }),
  };
}
