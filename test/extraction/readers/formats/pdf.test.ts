import { pdf } from '../../../../extraction/readers/formats/pdf.ts';
import { readAs } from '../../content.ts';
import { assemblePdf, makePdf, pdfStream } from '../../pdf-fixture.ts';

const pages = [
  ['# The Report', 'Water boils at one hundred degrees.', '## Methods', 'We measured it and found that the result'],
  ['is the same everywhere at sea level.', '## Results', 'All was well.'],
];

test('a PDF yields its text with headings, joined pages and the title from its metadata', async () => {
  const { markdown, title } = await readAs(pdf, makePdf(pages, { title: 'On (boiling) water' }));
  expect(title).toBe('On (boiling) water');
  expect(markdown).toMatch(/^# The Report\n\nWater boils at one hundred degrees\.\n\n#+ Methods\n/);
  expect(markdown).toContain('found that the result is the same everywhere at sea level.');
  expect(markdown).toMatch(/\n\n#+ Results\n\nAll was well\.$/);
});

test.each(['Microsoft Word - thesis.docx', 'untitled', 'report.pdf', ' '])(
  'the metadata title %j is none',
  async (title) => {
    expect((await readAs(pdf, makePdf(pages, { title }))).title).toBeNull();
  },
);

test('the input bytes stay usable', async () => {
  const bytes = makePdf(pages);
  await readAs(pdf, bytes);
  expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-');
});

test('2,000 pages are read, 2,001 end as extraction_limit', async () => {
  const many = (count: number) => makePdf(Array.from({ length: count }, (_, index) => [`Page ${index + 1} speaks.`]));
  expect((await readAs(pdf, many(2000))).markdown).toContain('Page 2000 speaks.');
  await expect(readAs(pdf, many(2001))).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('values of form fields are part of the page text', async () => {
  const font = '/Resources << /Font << /F1 5 0 R >> >>';
  const text = (words: string, x: number, y: number) => Buffer.from(`BT /F1 12 Tf ${x} ${y} Td (${words}) Tj ET`);
  const form = assemblePdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Annots [6 0 R] ${font} >>`,
    pdfStream(text('Name of the agency:', 72, 700)),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (agency) /V (Fish and Wildlife) /F 4 /P 3 0 R /Rect [72 660 300 680] /AP << /N 7 0 R >> >>',
    pdfStream(text('Fish and Wildlife', 2, 5), `/Type /XObject /Subtype /Form /BBox [0 0 228 20] ${font}`),
  ]);
  expect((await readAs(pdf, form)).markdown).toMatch(/Name of the agency:\s+(?:#+ )?Fish and Wildlife/);
});

test('a footer with page numbers is removed from a sentence that continues on the next page', async () => {
  const many = ['one', 'two', 'three', 'four'].map((word, at) => [
    `Page ${word} tells how the result that was found by`,
    ...Array.from({ length: 36 }, () => 'all of them in all of the lines, which is'),
    'still the same as',
    '',
    `${at + 1}`,
  ]);
  const { markdown } = await readAs(pdf, makePdf(many));
  expect(markdown).not.toMatch(/\d/);
});
