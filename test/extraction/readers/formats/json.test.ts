import { textSample } from '../../../../extraction/detection/text-sample.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { json, jsonToMarkdown as write } from '../../../../extraction/readers/formats/json.ts';
import { contentOf } from '../../content.ts';

const jsonToMarkdown = (value: unknown) => write(value, defaultLimits);

test('an object becomes lists and headings, a list of flat objects a table', () => {
  const value = {
    title: 'Report',
    count: 3,
    tags: ['a', 'b'],
    empty: {},
    author: { name: 'Jane', address: { city: 'Wien' } },
    rows: [
      { id: 1, text: 'x | y' },
      { id: 2, extra: true },
    ],
    notes: ['first\nparagraph', { deep: null }],
  };
  expect(jsonToMarkdown(value)).toEqual({
    title: 'Report',
    languageHint: null,
    markdown: `- **title:** Report
- **count:** 3
- **tags:** a, b
- **empty:** (none)

# author

- **name:** Jane

## address

- **city:** Wien

# rows

| id | text | extra |
| --- | --- | --- |
| 1 | x \\| y |  |
| 2 |  | true |

# notes

## Item 1

first
paragraph

## Item 2

- **deep:** null`,
  });
});

test('scalars and lists of them', () => {
  expect(jsonToMarkdown('a *b*').markdown).toBe('a \\*b\\*');
  expect(jsonToMarkdown([1, 'two', false]).markdown).toBe('- 1\n- two\n- false');
});

test.each([
  ['{"a": 1,\n "b": x}', /at line 2, column 7/],
  ['{"a": [1, 2', /ends too early at line 1, column 12/],
  ['{"a": tru, "b": 1}', /error at line 1, column 10/],
  ["{'a': 1}", /error at line 1, column 2/],
  ['{"a": "\\x"}', /error at line 1, column 9/],
  ['[1, 2 3]', /error at line 1, column 7/],
])('%j is damaged, and the message has the position', (text, message) => {
  expect(() => json.read(textSample(contentOf(text)), defaultLimits)).toThrow(
    expect.objectContaining({ code: 'file_damaged', message: expect.stringMatching(message) }),
  );
});

test('too deeply nested JSON ends as extraction_limit', () => {
  const value = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
  expect(() => jsonToMarkdown(value)).toThrow(expect.objectContaining({ code: 'extraction_limit' }));
});

test('settings with comments and trailing commas are JSON', async () => {
  const text =
    '// Settings\n{\n  /* "a": 1, */ "url": "https://x.example/a,]", // why\n  "list": [1, 2, /* end */ ],\n}\n';
  expect(json.detect?.(textSample(contentOf(text)))).toBe('sure');
  expect((await json.read(textSample(contentOf(text)), defaultLimits)).markdown).toBe(
    '- **url:** https://x.example/a,]\n- **list:** 1, 2',
  );
  expect(json.detect?.(textSample(contentOf('// A program\nmain() { return [1] }')))).toBeNull();
});
