import { enrichTable } from '../../../../../extraction/findings/artifacts/enrich/table.ts';

const table = `| Name | Count | Price | Open | Since | Code |
|------|------:|-------|------|-------|------|
| a \\| b | 1 | 2.50 | yes | 2026-01-31 | 007 |
| say "hi", you | -20 | 3 | No | 2024-02-29 | 1 |
| | - | n/a | | | x |
`;

test('the columns get the narrowest type that all of their values have', () => {
  expect(enrichTable(table).typedColumns).toEqual([
    { name: 'Name', type: 'text', nulls: 1 },
    { name: 'Count', type: 'integer', nulls: 1 },
    { name: 'Price', type: 'number', nulls: 1 },
    { name: 'Open', type: 'boolean', nulls: 1 },
    { name: 'Since', type: 'date', nulls: 1 },
    // A value with leading zeros is not a number.
    { name: 'Code', type: 'text', nulls: 0 },
  ]);
});

test('the records hold values of those types', () => {
  expect(enrichTable(table).json).toEqual([
    { Name: 'a | b', Count: 1, Price: 2.5, Open: true, Since: '2026-01-31', Code: '007' },
    { Name: 'say "hi", you', Count: -20, Price: 3, Open: false, Since: '2024-02-29', Code: '1' },
    { Name: null, Count: null, Price: null, Open: null, Since: null, Code: 'x' },
  ]);
});

test('the CSV is RFC 4180, with the cells as they were written', () => {
  expect(enrichTable(table).csv).toBe(
    [
      'Name,Count,Price,Open,Since,Code',
      'a | b,1,2.50,yes,2026-01-31,007',
      '"say ""hi"", you",-20,3,No,2024-02-29,1',
      ',-,n/a,,,x',
      '',
    ].join('\r\n'),
  );
});

test('unnamed columns and columns of the same name get distinct names', () => {
  const { typedColumns, json } = enrichTable('| a | | a | \\_\\_proto\\_\\_ |\n|-|-|-|-|\n| 1 | 2 | 3 | 4 |\n');
  expect(typedColumns.map(({ name }) => name)).toEqual(['a', 'column_2', 'a_2', '__proto__']);
  expect(JSON.stringify(json)).toBe('[{"a":1,"column_2":2,"a_2":3,"__proto__":4}]');
});

test.each([
  ['a day that the calendar lacks', ['2026-02-30'], 'text'],
  ['a date with a time', ['2026-02-03T04:05:06Z', '2026-02-03'], 'date'],
  ['digits beyond what a number holds', ['12345678901234567890'], 'text'],
  ['an exponent', ['1e3', '.5'], 'number'],
  ['a thousands separator, which may be a decimal one', ['1,234'], 'text'],
  ['a dash among words', ['-', 'word'], 'text'],
  ['nothing at all', ['', '-'], 'text'],
])('%s', (_, cells, type) => {
  const { typedColumns } = enrichTable(`| v |\n|---|\n${cells.map((cell) => `| ${cell} |\n`).join('')}`);
  expect(typedColumns[0]?.type).toBe(type);
});

test('a table with only a header has no records', () => {
  expect(enrichTable('| a |\n|---|\n')).toMatchObject({ json: [], csv: 'a\r\n' });
});

test('records that repeat long names beyond the limit end as extraction_limit', () => {
  const wide = `| ${'n'.repeat(50_000)} |\n|---|\n${'| 1 |\n'.repeat(1_000)}`;
  expect(() => enrichTable(wide)).toThrow(expect.objectContaining({ code: 'extraction_limit' }));
});

test('content that is not a table ends as unsupported_format', () => {
  expect(() => enrichTable('Just words.')).toThrow(expect.objectContaining({ code: 'unsupported_format' }));
});
