/** Dates as pages write them -> ISO 8601. */

/** The first letters that tell a month in English, German, French, Spanish, Italian, Portuguese, Dutch and Nordic languages. */
const months = [
  'jan|jän|ene|gen',
  'feb|fév|fev',
  'mar|mär|maart|mrt',
  'apr|avr|abr',
  'may|mai|mei|mayo|mag|maj',
  'jun|juin|giu',
  'jul|juil|lug',
  'aug|aoû|aou|ago',
  'sep|set',
  'oct|okt|out|ott',
  'nov',
  'dec|dez|déc|dic|des',
].map((names) => new RegExp(`^(?:${names})`, 'i'));
const monthName = `(${months.map((month) => month.source.slice(4, -1)).join('|')})\\p{L}*\\.?`;
const clock = /^(?:t|\s|,|at)*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2}|[+-]\d{2})?\b/i;

/** Year, month and day where each form has them. */
const forms: [RegExp, (found: string[]) => [string, string, string]][] = [
  [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/, ([, year = '', month = '', day = '']) => [year, month, day]],
  [/^(\d{4})(\d{2})(\d{2})(?!\d)/, ([, year = '', month = '', day = '']) => [year, month, day]],
  // Where dots part them, the day comes first.
  [/(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)/, ([, day = '', month = '', year = '']) => [year, month, day]],
  [/(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日/, ([, year = '', month = '', day = '']) => [year, month, day]],
  [/(\d{4})\s*년\s*(\d{1,2})\s*월\s*(\d{1,2})\s*일/, ([, year = '', month = '', day = '']) => [year, month, day]],
  [
    new RegExp(`(?<!\\p{L})${monthName} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})`, 'iu'),
    ([, month = '', day = '', year = '']) => [year, monthNumber(month), day],
  ],
  [
    new RegExp(`(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|er|º|\\.)?(?: de | |-)${monthName},?(?: de | del | |-)(\\d{4})`, 'iu'),
    ([, day = '', month = '', year = '']) => [year, monthNumber(month), day],
  ],
];

/**
 * The date, with its time where the text has one and with its offset where the text has that; null for what is no date
 * of the calendar, or one whose day and month nobody can tell apart.
 */
export function isoDateOf(text: string | null | undefined): string | null {
  const line = text?.trim().slice(0, 120) ?? '';
  for (const [form, parts] of forms) {
    const match = form.exec(line);
    if (match === null) continue;
    const [year, month, day] = parts([...match]);
    const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const time = Date.parse(`${date}T00:00:00Z`);
    if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== date || Number(year) < 1400) continue;
    return `${date}${timeOf(line.slice(match.index + match[0].length))}`;
  }
  return null;
}

function timeOf(rest: string): string {
  const [, hours = '', minutes = '', seconds = '00', zone = ''] = clock.exec(rest) ?? [];
  if (hours === '' || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return '';
  const offset = /^[+-]/.test(zone)
    ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '').padEnd(2, '0')}`
    : zone === ''
      ? ''
      : 'Z';
  return `T${hours.padStart(2, '0')}:${minutes}:${seconds}${offset}`;
}

function monthNumber(name: string): string {
  return String(months.findIndex((month) => month.test(name)) + 1);
}
