/** Which character parts the fields of a delimited text. */

/** What programs write, the less ambiguous first: a comma is also found within numbers and sentences. */
export const delimiters = ['\t', ';', '|', ','] as const;
export type Delimiter = (typeof delimiters)[number];

const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_RECORDS = 60;

export interface Sniffed {
  delimiter: Delimiter;
  /** Fields that most records have. */
  columns: number;
  /** Share of the records that have that many, 0 to 1. */
  consistency: number;
  records: number;
}

/** The delimiter that divides the records of the text's beginning most evenly; null where none divides them. */
export function sniffDelimiter(text: string): Sniffed | null {
  const whole = text.length <= SAMPLE_LENGTH;
  const sample = text.slice(0, SAMPLE_LENGTH);
  let best: Sniffed | null = null;
  for (const delimiter of delimiters) {
    if (!sample.includes(delimiter)) continue;
    const found = evenness(fieldCounts(sample, delimiter, whole), delimiter);
    // A later delimiter has to be clearly better: "1,5;2,3" is divided evenly by both.
    if (found !== null && (best === null || weight(found) > weight(best) * 1.15)) best = found;
  }
  return best;
}

function weight({ consistency, columns }: Sniffed): number {
  return consistency * (columns > 2 ? 1.2 : 1);
}

function evenness(counts: number[], delimiter: Delimiter): Sniffed | null {
  const shares = new Map<number, number>();
  for (const count of counts) if (count > 1) shares.set(count, (shares.get(count) ?? 0) + 1);
  const [most] = [...shares].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  if (most === undefined) return null;
  return { delimiter, columns: most[0], consistency: most[1] / counts.length, records: counts.length };
}

/** Fields of each record that is not blank; the last one does not count where the sample ends within it. */
function fieldCounts(sample: string, delimiter: string, whole: boolean): number[] {
  const counts: number[] = [];
  let fields = 1;
  let quoted = false;
  let begin = 0;
  for (let at = 0; at <= sample.length && counts.length < SAMPLE_RECORDS; at += 1) {
    const character = sample.charAt(at);
    if (character === '"') quoted = !quoted;
    else if (character === delimiter && !quoted) fields += 1;
    else if ((character === '\n' && !quoted) || (character === '' && whole)) {
      if (sample.slice(begin, at).trim() !== '') counts.push(fields);
      fields = 1;
      begin = at + 1;
    }
  }
  return counts;
}

/**
 * The delimiter of a text that is nothing but delimited records, for texts that no name or type calls so: prose has
 * commas too, so records must agree, be several, and have fields that are no sentences.
 */
export function looksDelimited(text: string): Delimiter | null {
  const found = sniffDelimiter(text);
  if (found === null || found.consistency < 0.98) return null;
  const { delimiter, columns, records } = found;
  if (delimiter === '\t' ? records < 2 || columns < 2 : records < 3 || columns < 3) return null;
  const head = text.slice(0, SAMPLE_LENGTH);
  const first = head.trimStart().split('\n', 1)[0] ?? '';
  if (/^\s*[|#>{[<]/.test(first) || first.split(delimiter).some((field) => field.trim().length > 60)) return null;
  if (delimiter === ',' && (head.match(/,[ ]/g)?.length ?? 0) * 3 > (head.match(/,/g)?.length ?? 0)) return null;
  return delimiter;
}
