/** Bounds of a JSON body that are checked before it is parsed. */
import { boundExceeded } from '../../../apps/api/http/json-bounds.ts';

const check = (text: string) => boundExceeded(Buffer.from(text));

test.each([
  ['an empty body', ''],
  ['a value', '1'],
  ['100 levels', `${'['.repeat(100)}${']'.repeat(100)}`],
  ['4,000 shallow arrays one after the other', '[{}]'.repeat(4_000)],
  ['10,000 entries', `[${'0,'.repeat(9_999)}0]`],
  ['brackets and commas in a text', `["${'[{,'.repeat(20_000)}"]`],
  ['escapes before the end of a text', `["\\\\","\\"${'['.repeat(200)}"]`],
  ['a text without end', `"${'['.repeat(20_000)}`],
  ['an escape at the end', '"\\'],
])('%s is within the bounds', (_, text) => {
  expect(check(text)).toBeNull();
});

test.each([
  ['101 levels', '['.repeat(101), 'Must not nest deeper than 100 levels.'],
  ['102 alternating levels of arrays and objects', '[{"a":'.repeat(51), 'Must not nest deeper than 100 levels.'],
  ['10,001 entries', `[${'0,'.repeat(10_000)}0]`, 'Must have at most 10000 entries in all.'],
  ['entries of many objects', '{"a":0},'.repeat(5_001), 'Must have at most 10000 entries in all.'],
  ['101 levels after an escape at a text end', `"\\\\"${'['.repeat(101)}`, 'Must not nest deeper than 100 levels.'],
])('%s is beyond the bounds', (_, text, message) => {
  expect(check(text)).toBe(message);
});
