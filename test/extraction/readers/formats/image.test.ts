import { image } from '../../../../extraction/readers/formats/image.ts';
import { svg } from '../../../../extraction/readers/formats/svg.ts';
import { readAs } from '../../content.ts';

const gif = Uint8Array.from(
  Buffer.from('GIF89a\x05\0\x03\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x05\0\x03\0\0\x02\x02\x84\x51\0;', 'latin1'),
);

test('an image yields its format and size, and a note that its content was not read', async () => {
  const { markdown, warnings } = await readAs(image, gif, { filename: 'photos/dot.gif' });
  expect(markdown).toBe('- **Kind:** GIF\n- **Size:** 5 × 3 pixels\n- **File:** dot.gif');
  expect(warnings?.map(({ code }) => code)).toEqual(['image_not_read']);
});

test('the texts of a drawing, with its title and description', async () => {
  const text = `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><title>Flow &amp; more</title>
    <desc>How it flows.</desc><g><title>part</title><text x="1">Start</text><text><tspan x="1" y="2">two</tspan><tspan x="1" y="4">lines</tspan></text></g></svg>`;
  expect((await readAs(svg, text)).markdown).toBe(
    '# Flow & more\n\n- **Kind:** SVG\n- **Size:** 40 × 20\n- **Description:** How it flows.\n\nTexts in the image:\n\n- Start\n- two lines',
  );
});

test.each([
  ['nothing of an image', new Uint8Array([1, 2, 3])],
  ['the beginning of a PNG', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])],
])('%s is damaged', async (_, bytes) => {
  await expect(readAs(image, bytes)).rejects.toMatchObject({ code: 'file_damaged' });
});
