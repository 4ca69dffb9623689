/** Content negotiation by the Accept header (RFC 9110, 12.5.1). */

interface Range {
  type: string;
  /** 2: one type, 1: a group of types, 0: any type. The most specific range decides. */
  specificity: number;
  weight: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.map((parameter) => /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(parameter)?.[1]).find(Boolean);
  const specificity = type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2;
  return { type, specificity, weight: weight === undefined ? 1 : Math.min(Number(weight), 1) };
}

function weightOf(ranges: Range[], mediaType: string): number {
  const group = `${mediaType.split('/')[0]}/*`;
  const fitting = ranges.filter(({ type }) => type === mediaType || type === group || type === '*/*');
  return fitting.reduce((best, range) => (range.specificity > best.specificity ? range : best), {
    specificity: -1,
    weight: 0,
  }).weight;
}

/** Whether `accept` prefers `mediaType` to JSON, the default. */
export function prefersToJson(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(parseRange);
  return weightOf(ranges, mediaType) > weightOf(ranges, 'application/json');
}
