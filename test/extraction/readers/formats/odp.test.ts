import { odp } from '../../../../extraction/readers/formats/odp.ts';
import { readAs } from '../../content.ts';
import { openDocumentFile } from '../../office-file.ts';
import { samplesOf, unmetExpectations } from '../../samples.ts';

const samples = samplesOf('odp');

test.each(samples)('$name has all expected strings and tables, in order', async (sample) => {
  const reading = await readAs(odp, sample.bytes);
  expect(unmetExpectations(sample, reading)).toEqual([]);
  expect(await readAs(odp, sample.bytes)).toEqual(reading);
});

test.each(samples)('$name: each slide begins with its heading', async (sample) => {
  const { markdown, parts } = await readAs(odp, sample.bytes);
  const headings = Array.from(markdown.matchAll(/^## /gm), (match) => match.index);
  expect(parts).toEqual({ unit: 'slide', starts: headings });
});

test('more slides than the limit end as extraction_limit', async () => {
  const page = '<draw:page><draw:frame><draw:text-box><text:p>Told.</text:p></draw:text-box></draw:frame></draw:page>';
  const bytes = openDocumentFile(`<office:presentation>${page}<draw:page/></office:presentation>`);
  expect((await readAs(odp, bytes)).markdown).toBe('## Slide 1\n\nTold.\n\n## Slide 2');
  await expect(readAs(odp, bytes, { limits: { pages: 1 } })).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('a group is read as a unit, at the position of its topmost shape', async () => {
  const box = (content: string, x: number, y: number) =>
    `<draw:frame svg:x="${x}cm" svg:y="${y}cm" svg:height="1cm"><draw:text-box><text:p>${content}</text:p></draw:text-box></draw:frame>`;
  const slide = `<draw:page>${box('low', 0, 12)}<draw:g>${box('b', 9, 4)}${box('a', 1, 4)}</draw:g>${box('top', 0, 1)}</draw:page>`;
  const { markdown } = await readAs(odp, openDocumentFile(`<office:presentation>${slide}</office:presentation>`));
  expect(markdown.split('\n\n')).toEqual(['## Slide 1', 'top', 'a', 'b', 'low']);
});

test('slides without any text are empty content', async () => {
  const bytes = openDocumentFile('<office:presentation><draw:page/><draw:page/></office:presentation>');
  expect((await readAs(odp, bytes)).markdown).toBe('');
});

test('a title begins with its first letter, not with leading space', async () => {
  const title =
    '<draw:frame presentation:class="title"><draw:text-box><text:p><text:s/>Lorem</text:p></draw:text-box></draw:frame>';
  const bytes = openDocumentFile(`<office:presentation><draw:page>${title}</draw:page></office:presentation>`);
  expect((await readAs(odp, bytes)).markdown).toBe('## Lorem');
});
