import { csv } from '../../../../extraction/readers/formats/csv.ts';
import { tsv } from '../../../../extraction/readers/formats/tsv.ts';
import { readAs } from '../../content.ts';

const read = async (text: string) => (await readAs(csv, text)).markdown;

test.each([
  [',', 'name,city\nJo,Linz\nMia,Graz\n'],
  [';', 'name;city\nJo;Linz\nMia;Graz\n'],
  ['|', 'name|city\nJo|Linz\nMia|Graz\n'],
  ['tab', 'name\tcity\nJo\tLinz\nMia\tGraz\n'],
  ['sep=', 'sep=;\nname;city\nJo;Linz\nMia;Graz\n'],
])('fields separated by %s', async (_, text) => {
  expect(await read(text)).toBe('| name | city |\n| --- | --- |\n| Jo | Linz |\n| Mia | Graz |');
});

test('a decimal comma is not a separator when semicolons are', async () => {
  expect(await read('item;price\ntea;1,50\nbread;2,30\n')).toContain('| tea | 1,50 |');
});

test('quoted fields keep their lines, quotes and separators', async () => {
  expect(await read('a,b\n"one\ntwo","say ""hi"", he | she"\n')).toContain('| one<br>two | say "hi", he \\| she |');
});

test('an unclosed quote loses no row', async () => {
  const { markdown, warnings } = await readAs(csv, 'a,b\n"x,2\ny,3\n');
  expect(markdown).toContain('| "x | 2 |\n| y | 3 |');
  expect(warnings?.map(({ code }) => code)).toEqual(['quotes_unbalanced']);
});

test('rows that are longer than the header are kept, with a warning', async () => {
  const { markdown, warnings } = await readAs(csv, 'a,b\n1,2\n3\n4,5,6\n');
  expect(markdown).toBe('| a | b |  |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 3 |  |  |\n| 4 | 5 | 6 |');
  expect(warnings).toEqual([{ code: 'ragged_rows', message: expect.stringContaining('1 rows') }]);
});

test('a first row of values is not a header, a first row of years is', async () => {
  expect(await read('2024-01-01,3.5\n2024-01-02,4.5\n')).toBe(
    '|  |  |\n| --- | --- |\n| 2024-01-01 | 3.5 |\n| 2024-01-02 | 4.5 |',
  );
  expect(await read('region,2021,2022\nNorth,12,14\nSouth,9,11\n')).toMatch(/^\| region \| 2021/);
});

test('lines above the table are text', async () => {
  expect(await read('Sales 2024,,\n,,\nregion,units,total\nNorth,1,2\n')).toBe(
    'Sales 2024\n\n| region | units | total |\n| --- | --- | --- |\n| North | 1 | 2 |',
  );
});

test('trailing empty cells and empty rows are dropped', async () => {
  expect(await read(`a,b${','.repeat(200_000)}\n${`${','.repeat(1000)}\n`.repeat(1000)}1,2,,,\n`)).toBe(
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  );
});

test('a table with too many columns ends as extraction_limit', async () => {
  const rows = Array.from({ length: 50 }, () => '1').join('\n');
  await expect(readAs(csv, `a${','.repeat(100_000)}b\n${rows}`)).rejects.toMatchObject({ code: 'extraction_limit' });
  await expect(readAs(csv, 'a,b\n1,2\n', { limits: { cells: 3 } })).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('an endless row ends as extraction_limit', async () => {
  await expect(readAs(csv, `a,b\n${'x'.repeat(5_000_000)}`)).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('tab-separated values keep commas and empty cells', async () => {
  expect((await readAs(tsv, 'id\tnote\tby\n1\tone, two\t\n2\t\tJo\n')).markdown).toBe(
    '| id | note | by |\n| --- | --- | --- |\n| 1 | one, two |  |\n| 2 |  | Jo |',
  );
});
