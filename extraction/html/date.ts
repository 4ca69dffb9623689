/** Dates as pages write them -> ISO 8601. */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthName = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const clock = /^(?:t|\s|,|at)*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(z|utc|gmt|[+-]\d{2}:?\d{2}|[+-]\d{2})?\b/i;

/** Year, month and day where each form has them. */
const forms: [RegExp, (found: string[]) => [string, string, string]][] = [
  [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/, ([, year = '', month = '', day = '']) => [year, month, day]],
  [/^(\d{4})(\d{2})(\d{2})(?!\d)/, ([, year = '', month = '', day = '']) => [year, month, day]],
  [/(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日/, ([, year = '', month = '', day = '']) => [year, month, day]],
  [/(\d{4})\s*년\s*(\d{1,2})\s*월\s*(\d{1,2})\s*일/, ([, year = '', month = '', day = '']) => [year, month, day]],
  [
    new RegExp(`\\b${monthName} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})`, 'i'),
    ([, month = '', day = '', year = '']) => [year, monthNumber(month), day],
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?[ -]${monthName},?[ -](\\d{4})`, 'i'),
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
  return String(months.indexOf(name.toLowerCase()) + 1);
}
