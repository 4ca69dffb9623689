import { CFB } from '@e965/xlsx';
import { ods } from '../../../extraction/formats/ods.ts';
import { readAs } from '../content.ts';
import { lacking, sampleOf, samplesOf } from '../samples.ts';

test.each(samplesOf('ods'))('$name holds what a reader expects', async (sample) => {
  expect(lacking(sample, await readAs(ods, sample.bytes))).toEqual([]);
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

test('a spreadsheet gives sheets, dates, links, comments, and says what is merged and hidden', async () => {
  const { markdown, title, warnings, parts } = await readAs(ods, sampleOf('ods', 'mitglieder.ods'));
  expect(title).toBe('Mitgliederliste Ruderclub');
  expect(markdown).toContain('| Özlem Kaya | 2011-05-02 | 84.00 | kaya@example.org | TRUE |');
  expect(markdown).toContain('[Webseite](https://gross.example/rudern)');
  expect(markdown).toContain('| Lea Sommer[^1] |');
  expect(markdown).toContain('[^1]: Kassenwart: Ermäßigung bis Juli');
  expect(parts?.starts.map((start) => markdown.slice(start, start + 8))).toEqual(['## Mitgl', '## Kasse', '## Entwu']);
  expect(warnings?.map(({ code }) => code)).toEqual(['merged_cells', 'hidden_sheets', 'hidden_rows']);
});

test('rows that only repeat emptiness are none; a cell that is repeated a billion times is too many', async () => {
  const sparse = `<table:table table:name="S"><table:table-row>${cell('')}<table:table-cell table:number-columns-repeated="16383"/></table:table-row><table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`;
  expect((await readAs(ods, spreadsheet(sparse))).markdown).toBe('## S\n\nx');
  const bomb = `<table:table table:name="B"><table:table-row table:number-rows-repeated="1048576">${cell(' table:number-columns-repeated="16384"')}</table:table-row></table:table>`;
  await expect(readAs(ods, spreadsheet(bomb))).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('an encrypted spreadsheet says so in its manifest', async () => {
  const entry = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>';
  await expect(readAs(ods, spreadsheet('', entry))).rejects.toMatchObject({ code: 'file_encrypted' });
});
