import { CFB, utils, type WorkSheet, write } from '@e965/xlsx';
import { convertToMarkdown } from '../../../../extraction/convert.ts';
import { openContainer } from '../../../../extraction/detection/containers/zip.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { xlsx } from '../../../../extraction/readers/formats/xlsx.ts';
import { contentOf, readAs } from '../../content.ts';
import { zipOf } from '../../hostile/zip-writer.ts';
import { sampleOf, samplesOf, unmetExpectations } from '../../samples.ts';

test.each(samplesOf('xlsx'))('$name has all expected strings and tables', async (sample) => {
  expect(unmetExpectations(sample, await readAs(xlsx, sample.bytes))).toEqual([]);
});

/** Makes a workbook of these sheets, each given as rows. */
function workbook(sheets: Record<string, unknown[][] | WorkSheet>): Uint8Array {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets)) {
    utils.book_append_sheet(book, Array.isArray(rows) ? utils.aoa_to_sheet(rows) : rows, name);
  }
  return new Uint8Array(write(book, { type: 'array', bookType: 'xlsx' }));
}

test('each sheet is a section, and each part begins at its heading', async () => {
  const { markdown, parts } = await readAs(xlsx, workbook({ First: [['a']], Empty: [], Second: [['b']] }));
  expect(markdown).toBe('## First\n\na\n\n## Second\n\nb');
  expect(parts?.unit).toBe('sheet');
  expect(parts?.starts.map((start) => markdown.slice(start, start + 6))).toEqual(['## Fir', '## Sec']);
});

test('cells yield formatted numbers, dates in ISO 8601 and results of formulas', async () => {
  const { markdown } = await readAs(xlsx, sampleOf('xlsx', 'rechnung.xlsx'));
  expect(markdown).toContain('| Zahlbar bis: | 2024-03-31 |');
  expect(markdown).toContain('| 3 | Montage vor Ort<br>(inkl. Anfahrt) | 6.5 | 58.00 € | 377.00 € |');
});

test('formulas without results are kept as formulas, and a warning counts them', async () => {
  const { markdown, warnings } = await readAs(xlsx, sampleOf('xlsx', 'budget.xlsx'));
  expect(markdown).toContain('| Research | 120,000[^1] | 118,000 | 125,500 | 131,000 | =SUM(B2:E2) |');
  expect(markdown).toContain('[^1]: Ana Pires: Includes the new lab from February on.');
  const told = warnings?.map(({ code, message }) => [code, message]);
  expect(told).toEqual([
    ['hidden_sheets', 'Kept: 1 hidden sheet ("Internal").'],
    ['hidden_rows', 'Kept: 1 hidden row.'],
    ['hidden_columns', 'Kept: 1 hidden column.'],
    ['formulas_without_results', '8 formulas without results. Recalculate and save the file to get them.'],
  ]);
});

test('adjacent tables in both directions are separate tables; charts yield their titles', async () => {
  const { markdown, warnings } = await readAs(xlsx, sampleOf('xlsx', 'dashboard.xlsx'));
  const headers = markdown.match(/^\|.*\|(?=\n\| ---)/gm);
  expect(headers).toEqual(['| Channel | Visits | Conversion |', '| Country | Share |', '| Page | Seconds | Owner |']);
  expect(markdown).toContain('Traffic by channel\n\n| Channel');
  expect(markdown).toContain('[checkout](https://shop.example/checkout)');
  expect(markdown).toContain('Chart: Visits per channel, February');
  expect(warnings).toEqual([{ code: 'charts_left_out', message: 'Left out: 1 chart, except for titles.' }]);
});

test('a label and its number stay together across an empty column; a gap does not end a table', async () => {
  const rows = [['Item', '', 2022, 2023], ['Sales', '', 10, 12], ['Costs', '', 7, 8], [], ['Profit', '', 3, 4]];
  const { markdown } = await readAs(
    xlsx,
    workbook({ P: rows.map((row) => row.map((cell) => (cell === '' ? null : cell))) }),
  );
  expect(markdown).toBe(
    '## P\n\n| Item | 2022 | 2023 |\n| --- | --- | --- |\n| Sales | 10 | 12 |\n| Costs | 7 | 8 |\n| Profit | 3 | 4 |',
  );
});

test('the first of merged cells has the value', async () => {
  const sheet = utils.aoa_to_sheet([
    ['Area', 'Town', 'People'],
    ['North', 'Aa', 1],
    ['hidden below', 'Bb', 2],
  ]);
  sheet['!merges'] = [{ s: { r: 1, c: 0 }, e: { r: 2, c: 0 } }];
  const { markdown, warnings } = await readAs(xlsx, workbook({ M: sheet }));
  expect(markdown).toContain('| North | Aa | 1 |\n|  | Bb | 2 |');
  expect(warnings).toEqual([
    { code: 'merged_cells', message: '1 merged area: the first cell has the value, the others are empty.' },
  ]);
});

test('a sheet with one cell in each corner has two cells, not a billion', async () => {
  const file = CFB.read(Buffer.from(workbook({ C: [['first']] })), { type: 'buffer' });
  const part = CFB.find(file, '/xl/worksheets/sheet1.xml');
  const far = '<row r="1048576"><c r="XFD1048576" t="n"><v>2</v></c></row></sheetData>';
  part.content = Buffer.from(
    Buffer.from(part.content).toString().replace('</sheetData>', far).replace('"A1"', '"A1:XFD1048576"'),
  );
  const bytes = new Uint8Array(CFB.write(file, { type: 'buffer', fileType: 'zip' }));
  expect((await readAs(xlsx, bytes)).markdown).toBe('## C\n\nfirst\n\n2');
});

test('empty cells between filled ones count towards the limit', async () => {
  const diagonal = Array.from({ length: 40 }, (_, at) =>
    Array.from({ length: 40 }, (_, column) => (column === at || column === 0 ? 1 : null)),
  );
  const bytes = workbook({ D: diagonal });
  expect((await readAs(xlsx, bytes, { limits: { cells: 1600 } })).markdown).toContain('| 1 |');
  await expect(readAs(xlsx, bytes, { limits: { cells: 1599 } })).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('a workbook that is known to exceed the cell limit is not parsed', async () => {
  const { paths, bytes } = await openContainer(workbook({ A: [['a']] }), defaultLimits);
  const entries = await Promise.all(
    paths.map(async (path) => ({ path, data: Buffer.from((await bytes(path)) ?? []) })),
  );
  // Invalid content that the parser would report as damaged is never reached.
  const sheet = { path: 'xl/worksheets/sheet9.xml', data: '<c><v>1</v></c>'.repeat(200) };
  const filled = zipOf([...entries.filter(({ path }) => path !== 'xl/worksheets/sheet1.xml'), sheet]);
  const limits = { cells: 199 };
  await expect(readAs(xlsx, filled, { limits })).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('damaged workbooks end as file_damaged', async () => {
  const bytes = workbook({ A: [['a']] });
  await expect(readAs(xlsx, bytes.subarray(0, bytes.length / 2))).rejects.toMatchObject({ code: 'file_damaged' });
});

test('a workbook with a password is a compound file, and ends as file_encrypted', async () => {
  const file = CFB.utils.cfb_new();
  CFB.utils.cfb_add(file, '/EncryptionInfo', Buffer.alloc(100));
  CFB.utils.cfb_add(file, '/EncryptedPackage', Buffer.alloc(5000));
  const bytes = new Uint8Array(CFB.write(file, { type: 'buffer' }));
  const content = { bytes, contentType: null, filename: 'secret.xlsx', url: null };
  await expect(convertToMarkdown(content, defaultLimits)).rejects.toMatchObject({ code: 'file_encrypted' });
});

test.each([
  ['[$-409]#,##0.00', 1234.5, '1,234.50'],
  ['[$-010409]#,##0.00#%', 0.00370904, '0.371%'],
  ['[$-010409]#,##0.00#%', 0.5, '50.00%'],
  ['[$€-407] #,##0.00', 1234.5, '€ 1,234.50'],
])('the format %s shows %d as %s', async (format, value, shown) => {
  const sheet = utils.aoa_to_sheet([[value]]);
  Object.assign(sheet.A1 ?? {}, { z: format });
  expect((await readAs(xlsx, workbook({ F: sheet }))).markdown).toBe(`## F\n\n${shown}`);
});

test('the author of a comment keeps all letters', async () => {
  const sheet = utils.aoa_to_sheet([['cell']]);
  Object.assign(sheet.A1 ?? {}, { c: [{ a: '作成者', t: 'コメント' }] });
  expect((await readAs(xlsx, workbook({ N: sheet }))).markdown).toContain('[^1]: 作成者: コメント');
});

test('parts are found by paths in a different case, with backslashes, and in a ZIP with a trailing line break', async () => {
  const { paths, bytes } = await openContainer(workbook({ A: [['found']] }), defaultLimits);
  const entries = await Promise.all(
    paths.map(async (path) => ({
      path: path.toLowerCase().replaceAll('/', '\\'),
      data: Buffer.from((await bytes(path)) ?? []),
    })),
  );
  const odd = Buffer.concat([zipOf(entries), Buffer.from('\r\n')]);
  const { format, markdown } = await convertToMarkdown(contentOf(odd), defaultLimits);
  expect([format, markdown]).toEqual(['xlsx', '## A\n\nfound\n']);
});

test('drawings are read with any namespace prefixes, and a repeated description occurs once', async () => {
  const { paths, bytes } = await openContainer(workbook({ A: [['cell']] }), defaultLimits);
  const relations = (type: string, target: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;
  const picture = '<pic><nvPicPr><cNvPr id="1" name="x" descr="A red lamp "/></nvPicPr></pic>';
  const slicer =
    '<mc:AlternateContent><mc:Choice Requires="a14"><graphicFrame/></mc:Choice><mc:Fallback><sp><txBody><a:p><a:r><a:t>This shape represents a slicer.</a:t></a:r></a:p></txBody></sp></mc:Fallback></mc:AlternateContent>';
  const entries = await Promise.all(
    paths.map(async (path) => {
      const data = Buffer.from((await bytes(path)) ?? []);
      if (path !== 'xl/workbook.xml') return { path, data };
      return {
        path,
        data: data
          .toString()
          .replace(/<(\/?)(\w)/g, '<$1x:$2')
          .replace('xmlns=', 'xmlns:x='),
      };
    }),
  );
  const drawn = zipOf([
    ...entries,
    { path: 'xl/worksheets/_rels/sheet1.xml.rels', data: relations('drawing', '../drawings/drawing1.xml') },
    {
      path: 'xl/drawings/drawing1.xml',
      data: `<wsDr xmlns="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">${picture}${picture}${slicer}</wsDr>`,
    },
  ]);
  expect((await readAs(xlsx, drawn)).markdown).toBe('## A\n\ncell\n\nImage: A red lamp');
});
