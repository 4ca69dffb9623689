import fc from 'fast-check';
import { nameFromContent } from '../../extraction/name.ts';
import { processorMs } from './processor-time.ts';

test.each([
  ['# Water *boils* at `100` degrees\n\nText', 'Water boils at 100 degrees'],
  ['Intro line\n\n## A [linked](https://e.org/) heading ##\n', 'A linked heading'],
  ['\n\n  First line of a note\nsecond', 'First line of a note'],
  ['Title\n=====\n\ntext', 'Title'],
  ['```js\n# no heading\n```\nAfter', 'no heading'],
  ['---\ntitle: "From front matter"\n---\n# Other', 'From front matter'],
  ['User: How do I boil water?\n\nAssistant: # Easy', 'How do I boil water?'],
  ['You said:\nHow do I boil water?\n\nChatGPT said:\nEasy', 'How do I boil water?'],
  ['**Human:** hello there\n**Claude:** hi', 'hello there'],
  ['## User\n\nWhat is up?\n\n## Assistant\n\nNot much', 'What is up?'],
  ['<!doctype html><html><head><title>A &amp; B</title></head>', 'A & B'],
  ['{"title": "Some \\"JSON\\"", "x": 1}', 'Some "JSON"'],
  ['- [ ] buy milk\n- [ ] buy bread', 'buy milk'],
  ['snake_case_name stays', 'snake_case_name stays'],
  ['---\n***\n', 'Untitled'],
  ['', 'Untitled'],
  [' \n\t\n', 'Untitled'],
  ['\u0000\ud800\u0007', 'Untitled'],
  ['水は百度で沸騰する。', '水は百度で沸騰する。'],
])('%j is named %j', (text, name) => {
  expect(nameFromContent(text)).toBe(name);
});

test('the name of any text has 1 to 200 code points on one line, without control characters or lone surrogates', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 500 }), fc.string({ unit: 'grapheme' })), (text) => {
      const name = nameFromContent(text);
      expect(Array.from(name).length).toBeGreaterThanOrEqual(1);
      expect(Array.from(name).length).toBeLessThanOrEqual(200);
      expect(name).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(name).toBe(name.trim());
    }),
    { numRuns: 300 },
  );
});

test('lone surrogates and a truncated pair at the end are removed', () => {
  expect(nameFromContent('\ud800a\udc00')).toBe('\uFFFDa\uFFFD');
  expect(nameFromContent('😀'.repeat(300))).toBe('😀'.repeat(200));
});

test('the time does not depend on the length of the text: 5 MiB of syntax are named quickly', () => {
  for (const mark of ['#', '>', '`', '[', '*', '<a ', '"title": "', ' ', '# a\n']) {
    const text = mark.repeat(Math.floor((5 * 1024 * 1024) / mark.length));
    expect(processorMs(() => nameFromContent(text))).toBeLessThan(200);
  }
});
