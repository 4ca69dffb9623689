import { pdf } from '../../../../extraction/readers/formats/pdf.ts';
import { readAs } from '../../content.ts';
import { assemblePdf, makePdf, pdfOfStreams, pdfStream } from '../../pdf-fixture.ts';

/** A PDF with a full-page image and one page for each text. */
function scanned(...texts: string[]): Uint8Array {
  const resources = '/Resources << /XObject << /I 3 0 R >> /Font << /F1 4 0 R >> >>';
  const streams = ['612 0 0 792 0 0 cm /I Do', ...texts.map((text) => `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`)];
  const kids = streams.map((_, at) => `${5 + 2 * at} 0 R`).join(' ');
  return assemblePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`,
    pdfStream(
      Buffer.alloc(200 * 200, 90),
      '/Type /XObject /Subtype /Image /Width 200 /Height 200 /BitsPerComponent 8 /ColorSpace /DeviceGray',
    ),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...streams.flatMap((stream, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${6 + 2 * at} 0 R ${resources} >>`,
      pdfStream(Buffer.from(stream)),
    ]),
  ]);
}

test('a PDF of scans has no text, and the error names the remedy', async () => {
  await expect(readAs(pdf, scanned())).rejects.toMatchObject({
    code: 'content_empty',
    message: expect.stringMatching(/only images.*text recognition \(OCR\)/),
  });
});

test('image pages of a PDF with text are counted', async () => {
  const { warnings } = await readAs(pdf, scanned('The first page was scanned.', 'The second too.'));
  expect(warnings).toEqual([
    { code: 'images_without_text', message: expect.stringMatching(/^1 of 3 pages has only images/) },
  ]);
});

test('the error names drawings or blank pages; a blank page among text causes no warning', async () => {
  const drawing = pdfStream(Buffer.from('100 100 200 200 re S 300 300 m 400 400 l 500 200 l h f'));
  await expect(readAs(pdf, pdfOfStreams([drawing]))).rejects.toThrow(/only drawings/);
  await expect(readAs(pdf, makePdf([[]]))).rejects.toThrow(/blank/);
  expect((await readAs(pdf, makePdf([['One.'], [], ['Three.']]))).warnings).toEqual([]);
});
