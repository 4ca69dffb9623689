/** What is judged before a body is parsed. */
import { boundExceeded } from '../../../apps/api/http/json-bounds.ts';

const judge = (text: string) => boundExceeded(Buffer.from(text));

test.each([
  ['nothing', ''],
  ['a value', '1'],
  ['100 levels', `${'['.repeat(100)}${']'.repeat(100)}`],
  ['many levels one after the other', '[{}]'.repeat(4_000)],
  ['10,000 entries', `[${'0,'.repeat(9_999)}0]`],
  ['brackets and commas in a text', `["${'[{,'.repeat(20_000)}"]`],
  ['escapes before the end of a text', `["\\\\","\\"${'['.repeat(200)}"]`],
  ['a text without end', `"${'['.repeat(20_000)}`],
  ['an escape at the end', '"\\'],
])('%s is within the bounds', (_, text) => {
  expect(judge(text)).toBeNull();
});

test.each([
  ['101 levels', '['.repeat(101), 'Must not nest deeper than 100 levels.'],
  ['objects and arrays in turn', '[{"a":'.repeat(51), 'Must not nest deeper than 100 levels.'],
  ['10,001 entries', `[${'0,'.repeat(10_000)}0]`, 'Must have at most 10000 entries in all.'],
  ['entries of many objects', '{"a":0},'.repeat(5_001), 'Must have at most 10000 entries in all.'],
  ['what follows a text that ends in an escape', `"\\\\"${'['.repeat(101)}`, 'Must not nest deeper than 100 levels.'],
])('%s is beyond them', (_, text, message) => {
  expect(judge(text)).toBe(message);
});
