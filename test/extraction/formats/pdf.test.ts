import { pdf } from '../../../extraction/formats/pdf.ts';
import { readAs } from '../content.ts';
import { makePdf } from '../pdf-fixture.ts';

const pages = [
  ['# The Report', 'Water boils at one hundred degrees.', '## Methods', 'We measured it and found that the result'],
  ['is the same everywhere at sea level.', '## Results', 'All was well.'],
];

test('a PDF gives its text, with headings, pages joined and the title of its metadata', async () => {
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

test('the bytes stay usable', async () => {
  const bytes = makePdf(pages);
  await readAs(pdf, bytes);
  expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-');
});

test('2,000 pages are read, 2,001 end as extraction_limit', async () => {
  const many = (count: number) => makePdf(Array.from({ length: count }, (_, index) => [`Page ${index + 1} speaks.`]));
  expect((await readAs(pdf, many(2000))).markdown).toContain('Page 2000 speaks.');
  await expect(readAs(pdf, many(2001))).rejects.toMatchObject({ code: 'extraction_limit' });
});
