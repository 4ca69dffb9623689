/** Hostile documents with too many elements. */
import { assemblePdf, pdfStream } from '../pdf-fixture.ts';
import { fileCase, type HostileCase } from './case.ts';
import { chapterOf, epubOf, odfOf, openDocumentOf, pptxOf, sheetOf, slideOf, xlsxOf } from './office.ts';

/** All pages share one content stream. */
function pdfOfPages(count: number): Uint8Array {
  const first = 5;
  const kids = Array.from({ length: count }, (_, at) => `${first + at} 0 R`).join(' ');
  return assemblePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    pdfStream(Buffer.from('BT /F1 11 Tf 72 700 Td (Hello) Tj ET')),
    ...Array.from(
      { length: count },
      () =>
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
    ),
  ]);
}

const sheetOfCells = (rows: number, columns: number) =>
  sheetOf(`<row>${'<c><v>1</v></c>'.repeat(columns)}</row>`.repeat(rows));

const sparse = (repeated: string) =>
  openDocumentOf(
    'spreadsheet',
    `<table:table table:name="One"><table:table-row ${repeated}><table:table-cell table:number-columns-repeated="16384" office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell></table:table-row></table:table>`,
  );

export const sizes: readonly HostileCase[] = [
  fileCase('a PDF of 200,000 pages', 'a.pdf', () => pdfOfPages(200_000), 'extraction_limit'),
  fileCase(
    'a sheet of two cells, a million rows apart',
    'a.xlsx',
    () =>
      xlsxOf(sheetOf('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>')),
    ['extraction_limit', 'read'],
  ),
  fileCase(
    'a sheet that declares 17 thousand million cells',
    'a.xlsx',
    () =>
      xlsxOf(
        sheetOf('<row r="1"><c r="A1"><v>1</v></c></row>').replace(
          '<sheetData>',
          '<dimension ref="A1:XFD1048576"/><sheetData>',
        ),
      ),
    ['extraction_limit', 'read'],
  ),
  fileCase(
    'a sheet merged over all of its rows',
    'a.xlsx',
    () =>
      xlsxOf(
        sheetOf('<row r="1"><c r="A1"><v>1</v></c></row>').replace(
          '</sheetData>',
          '</sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>',
        ),
      ),
    ['extraction_limit', 'read'],
  ),
  fileCase('a sheet of 1.2 million tiny cells', 'a.xlsx', () => xlsxOf(sheetOfCells(12_000, 100)), 'extraction_limit'),
  fileCase(
    'an ODS row repeated a million times',
    'a.ods',
    () => odfOf('spreadsheet', sparse('table:number-rows-repeated="1048576"')),
    'extraction_limit',
  ),
  fileCase(
    'a CSV of 20 million empty cells',
    'a.csv',
    () => `${','.repeat(10_000)}\n`.repeat(2_000),
    'extraction_limit',
  ),
  fileCase(
    'a CSV whose rows grow',
    'a.csv',
    () => Array.from({ length: 3_000 }, (_, at) => 'x,'.repeat(at)).join('\n'),
    'extraction_limit',
  ),
  fileCase(
    'a CSV of one row a million cells wide',
    'a.csv',
    () => `a\n${'x,'.repeat(1_000_000)}\nb\nc\n`,
    'extraction_limit',
  ),
  fileCase('a CSV whose quote never ends', 'a.csv', () => `a,b\n"${'x,y\n'.repeat(2_000_000)}`, [
    'read',
    'file_damaged',
    'extraction_limit',
  ]),
  fileCase(
    'a HTML table with a span of a million',
    'a.html',
    () => '<table><tr><td colspan=1000000 rowspan=1000000>Hello<td>x<tr><td>y</table>',
    ['read', 'extraction_limit'],
  ),
  fileCase(
    'an EPUB of 100,000 chapters',
    'a.epub',
    () => epubOf(Array.from({ length: 100_000 }, () => chapterOf('<p>x</p>'))),
    'extraction_limit',
  ),
  fileCase(
    'an EPUB whose spine names one chapter 100,000 times',
    'a.epub',
    () => epubOf([chapterOf('<p>Hello</p>')], 100_000),
    ['read', 'extraction_limit'],
  ),
  fileCase(
    'a slide of 300,000 shapes',
    'a.pptx',
    () => pptxOf(slideOf('<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>'.repeat(300_000))),
    'extraction_limit',
  ),
  fileCase(
    'a mail of 20,000 attachments',
    'a.eml',
    () =>
      `From: a@mail.example\nSubject: Many\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n${'--b\nContent-Type: text/plain; name=a.txt\nContent-Disposition: attachment; filename=a.txt\n\nx\n'.repeat(20_000)}--b--\n`,
    'extraction_limit',
  ),
  fileCase(
    'a feed of 400,000 items',
    'a.rss',
    () =>
      `<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>${'<item><title>I</title><link>https://x.example/</link></item>'.repeat(400_000)}</channel></rss>`,
    'extraction_limit',
  ),
];
