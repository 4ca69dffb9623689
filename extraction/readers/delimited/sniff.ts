/** Detects the delimiter of a delimited text. */

/** Supported delimiters, the least ambiguous first: commas are also in numbers and sentences. */
export const delimiters = ['\t', ';', '|', ','] as const;
export type Delimiter = (typeof delimiters)[number];

const SAMPLE_LENGTH = 64 * 1024;
const SAMPLE_RECORDS = 60;

export interface Sniffed {
  delimiter: Delimiter;
  /** The most frequent number of fields. */
  columns: number;
  /** Share of the records with that number of fields, 0 to 1. */
  consistency: number;
  records: number;
}

/** The delimiter with the most consistent number of fields in the first 60 records; null for none. */
export function sniffDelimiter(text: string): Sniffed | null {
  const whole = text.length <= SAMPLE_LENGTH;
  const sample = text.slice(0, SAMPLE_LENGTH);
  let best: Sniffed | null = null;
  for (const delimiter of delimiters) {
    if (!sample.includes(delimiter)) continue;
    const found = evenness(fieldCounts(sample, delimiter, whole), delimiter);
    // A later delimiter must be clearly better: both fit "1,5;2,3".
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
  const [mostFrequent] = [...shares].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  if (mostFrequent === undefined) return null;
  const [columns, records] = mostFrequent;
  return { delimiter, columns, consistency: records / counts.length, records: counts.length };
}

/** Number of fields of each record that is not blank, without a last record that the sample cuts. */
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
 * The delimiter of a text of delimited records, for content without a file name or media type; null for other text.
 * Prose has commas too, so there must be several records with the same number of fields, and no sentences in them.
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
