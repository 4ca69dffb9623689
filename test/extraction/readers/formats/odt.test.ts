import { odt } from '../../../../extraction/readers/formats/odt.ts';
import { readAs } from '../../content.ts';
import { officeFile, openDocumentFile } from '../../office-file.ts';
import { samplesOf, unmetExpectations } from '../../samples.ts';

const samples = samplesOf('odt');

test.each(samples)('$name has all expected strings and tables, in order', async (sample) => {
  const reading = await readAs(odt, sample.bytes);
  expect(unmetExpectations(sample, reading)).toEqual([]);
  expect(await readAs(odt, sample.bytes)).toEqual(reading);
});

const text = (body: string) => openDocumentFile(`<office:text>${body}</office:text>`);

test('each page part begins at its first text', async () => {
  const bytes = text(
    '<text:p>One <text:soft-page-break/>two.</text:p><text:soft-page-break/><text:h text:outline-level="1">Three</text:h>',
  );
  const { markdown, parts } = await readAs(odt, bytes);
  const starts = parts?.starts ?? [];
  expect(starts.map((start, at) => markdown.slice(start, starts[at + 1]).trim())).toEqual(['One', 'two.', '# Three']);
});

test('a sparse table has the size of its content', async () => {
  const cell = (content: string) => `<table:table-cell><text:p>${content}</text:p></table:table-cell>`;
  const bytes = text(
    `<table:table><table:table-row>${cell('A')}${cell('B')}<table:table-cell table:number-columns-repeated="16000"/></table:table-row><table:table-row table:number-rows-repeated="2"><table:table-cell/>${cell('1')}</table:table-row><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`,
  );
  expect((await readAs(odt, bytes)).markdown).toBe('| A | B |\n| --- | --- |\n|  | 1 |\n|  | 1 |');
});

test('repeated cells above the limit end as extraction_limit', async () => {
  const row =
    '<table:table-row table:number-rows-repeated="9999999"><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>';
  await expect(readAs(odt, text(`<table:table>${row}</table:table>`))).rejects.toMatchObject({
    code: 'extraction_limit',
  });
});

test('tracked deletions are removed and reported', async () => {
  const changes =
    '<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>';
  const { markdown, warnings } = await readAs(odt, text(`${changes}<text:p>kept</text:p>`));
  expect(markdown).toBe('kept');
  expect(warnings?.map(({ code }) => code)).toEqual(['tracked_deletions']);
});

test('a password is file_encrypted, another kind of document and a broken one file_damaged', async () => {
  const encrypted = officeFile({ 'META-INF/manifest.xml': '<manifest:encryption-data/>', 'content.xml': 'x' });
  await expect(readAs(odt, encrypted)).rejects.toMatchObject({ code: 'file_encrypted' });
  await expect(readAs(odt, openDocumentFile('<office:presentation/>'))).rejects.toMatchObject({ code: 'file_damaged' });
  await expect(readAs(odt, officeFile({ 'content.xml': '<a' }))).rejects.toMatchObject({ code: 'file_damaged' });
  await expect(readAs(odt, officeFile({ 'a.txt': 'b' }))).rejects.toMatchObject({ code: 'file_damaged' });
});
