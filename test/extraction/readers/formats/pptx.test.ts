import { pptx } from '../../../../extraction/readers/formats/pptx.ts';
import { readAs } from '../../content.ts';
import { deckFile } from '../../office-file.ts';
import { samplesOf, unmetExpectations } from '../../samples.ts';

const samples = samplesOf('pptx');

test.each(samples)('$name has all expected strings and tables, in order', async (sample) => {
  const reading = await readAs(pptx, sample.bytes);
  expect(unmetExpectations(sample, reading)).toEqual([]);
  expect(await readAs(pptx, sample.bytes)).toEqual(reading);
});

test.each(samples)('$name: each slide begins with its heading', async (sample) => {
  const { markdown, parts } = await readAs(pptx, sample.bytes);
  const headings = Array.from(markdown.matchAll(/^## /gm), (match) => match.index);
  expect(parts).toEqual({ unit: 'slide', starts: headings });
});

const shape = (text: string, x: number, y: number, properties = '') =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:nvPr>${properties}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="100" cy="100"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
const title = '<p:ph type="title"/>';

test('slides come in the order of the presentation, not of their names', async () => {
  const bytes = deckFile([shape('Second file', 0, 0, title), shape('First file', 0, 0, title)], [2, 1]);
  expect((await readAs(pptx, bytes)).markdown).toBe('## First file\n\n## Second file');
});

test('shapes are read row by row from left to right, groups at their position', async () => {
  const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="300"/></a:xfrm></p:grpSpPr>${shape('G2', 900, 0)}${shape('G1', 0, 5)}</p:grpSp>`;
  const bytes = deckFile([group + shape('Low', 0, 900) + shape('Right', 500, 10) + shape('Left', 0, 20)], [1]);
  expect((await readAs(pptx, bytes)).markdown.split('\n\n')).toEqual([
    '## Slide 1',
    'Left',
    'Right',
    'G1',
    'G2',
    'Low',
  ]);
});

test('a missing slide is reported, and the others are read', async () => {
  const { markdown, warnings } = await readAs(pptx, deckFile([shape('Only', 0, 0, title)], [1, 7]));
  expect(markdown).toBe('## Only');
  expect(warnings?.map(({ code }) => code)).toEqual(['missing_parts']);
});

test('more slides than the limit end as extraction_limit, a truncated file as file_damaged', async () => {
  const bytes = deckFile([shape('A', 0, 0), shape('B', 0, 0)], [1, 2]);
  await expect(readAs(pptx, bytes, { limits: { pages: 1 } })).rejects.toMatchObject({ code: 'extraction_limit' });
  await expect(readAs(pptx, bytes.subarray(0, 900))).rejects.toMatchObject({ code: 'file_damaged' });
});

test('slides without any text are empty content', async () => {
  expect((await readAs(pptx, deckFile(['', shape('', 0, 0)], [1, 2]))).markdown).toBe('');
});
