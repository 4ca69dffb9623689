import { CFB } from '@e965/xlsx';
import { convertToMarkdown } from '../../../../extraction/convert.ts';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { ods } from '../../../../extraction/readers/formats/ods.ts';
import { contentOf, readAs } from '../../content.ts';
import { sampleOf, samplesOf, unmetExpectations } from '../../samples.ts';

test.each(samplesOf('ods'))('$name has all expected strings and tables', async (sample) => {
  expect(unmetExpectations(sample, await readAs(ods, sample.bytes))).toEqual([]);
});

const namespaces =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"';

function spreadsheet(tables: string, manifest = ''): Uint8Array {
  const file = CFB.utils.cfb_new();
  const content = `<office:document-content ${namespaces}><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`;
  const parts: Record<string, string> = {
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': content,
    'styles.xml': `<office:document-styles ${namespaces}/>`,
    'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">${manifest}</manifest:manifest>`,
  };
  for (const [path, part] of Object.entries(parts)) CFB.utils.cfb_add(file, `/${path}`, Buffer.from(part));
  return new Uint8Array(CFB.write(file, { type: 'buffer', fileType: 'zip' }));
}

const cell = (attributes: string) =>
  `<table:table-cell office:value-type="string"${attributes}><text:p>x</text:p></table:table-cell>`;

test('a spreadsheet yields sheets, dates, links and comments, and reports merged and hidden cells', async () => {
  const { markdown, title, warnings, parts } = await readAs(ods, sampleOf('ods', 'mitglieder.ods'));
  expect(title).toBe('Mitgliederliste Ruderclub');
  expect(markdown).toContain('| Özlem Kaya | 2011-05-02 | 84.00 | kaya@example.org | TRUE |');
  expect(markdown).toContain('[Webseite](https://gross.example/rudern)');
  expect(markdown).toContain('| Lea Sommer[^1] |');
  expect(markdown).toContain('[^1]: Kassenwart: Ermäßigung bis Juli');
  expect(parts?.starts.map((start) => markdown.slice(start, start + 8))).toEqual(['## Mitgl', '## Kasse', '## Entwu']);
  expect(warnings?.map(({ code }) => code)).toEqual(['merged_cells', 'hidden_sheets', 'hidden_rows']);
});

test('repeated empty rows are dropped; a cell that is repeated a billion times ends as extraction_limit', async () => {
  const sparse = `<table:table table:name="S"><table:table-row>${cell('')}<table:table-cell table:number-columns-repeated="16383"/></table:table-row><table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`;
  expect((await readAs(ods, spreadsheet(sparse))).markdown).toBe('## S\n\nx');
  const bomb = `<table:table table:name="B"><table:table-row table:number-rows-repeated="1048576">${cell(' table:number-columns-repeated="16384"')}</table:table-row></table:table>`;
  await expect(readAs(ods, spreadsheet(bomb))).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('an encrypted spreadsheet is detected by its manifest', async () => {
  const entry = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
  await expect(readAs(ods, spreadsheet('', entry))).rejects.toMatchObject({ code: 'file_encrypted' });
});

const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
const typed = (attributes: string, inner = '') => `<table:table-cell ${attributes}>${inner}</table:table-cell>`;
const table = (...rows: string[]) => `<table:table table:name="T">${rows.join('')}</table:table>`;

test('a cell yields its stored text, or its value if no text is stored', async () => {
  const cells = [
    typed('office:value-type="float" office:value="1234.5"', '<text:p>1.234,50</text:p>'),
    typed('office:value-type="percentage" office:value="0.0725"'),
    typed('office:value-type="currency" office:value="3" office:currency="EUR"'),
    typed('office:value-type="date" office:date-value="2024-03-08T09:30:00"', '<text:p>08.03.24 09:30</text:p>'),
    typed('office:value-type="date" office:date-value="2024-03-08T09:30:00"', '<text:p>März 2024</text:p>'),
    typed('office:value-type="time" office:time-value="09:55:33"', '<text:p>09:55</text:p>'),
    typed('office:value-type="time" office:time-value="PT36H05M00S"'),
    typed('office:value-type="unknown"', '<text:p>two<text:s text:c="2"/>parts</text:p><text:p>and a line</text:p>'),
    typed('table:formula="of:=SUM([.A1:.A2])"'),
  ];
  const { markdown, warnings } = await readAs(ods, spreadsheet(table(row(...cells))));
  expect(markdown).toContain(
    '| 1.234,50 | 7.25% | 3 EUR | 2024-03-08 09:30 | 2024-03-08 | 09:55 | 36:05 | two  parts<br>and a line | =SUM(A1:A2) |',
  );
  expect(warnings?.map(({ code }) => code)).toEqual(['formulas_without_results']);
});

test('a flat XML spreadsheet is read like a packaged one', async () => {
  const flat = `<?xml version="1.0" encoding="UTF-8"?>
    <office:document ${namespaces} office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
    <office:meta/><office:body><office:spreadsheet>${table(row(cell(''), cell('')))}</office:spreadsheet></office:body></office:document>`;
  const { format, markdown } = await convertToMarkdown(contentOf(flat, { filename: 'flat.xml' }), defaultLimits);
  expect([format, markdown]).toEqual(['ods', '## T\n\n|  |  |\n| --- | --- |\n| x | x |\n']);
});
