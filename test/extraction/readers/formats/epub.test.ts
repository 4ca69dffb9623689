import { CFB } from '@e965/xlsx';
import { epub } from '../../../../extraction/readers/formats/epub.ts';
import { readAs } from '../../content.ts';
import { samplesOf, unmetExpectations } from '../../samples.ts';

test.each(samplesOf('epub'))('$name has all expected strings and tables', async (sample) => {
  expect(unmetExpectations(sample, await readAs(epub, sample.bytes))).toEqual([]);
});

function book(chapters: string[], more: Record<string, string> = {}): Uint8Array {
  const items = chapters.map((_, at) => `<item id="c${at}" href="c${at}.xhtml" media-type="application/xhtml+xml"/>`);
  const spine = chapters.map((_, at) => `<itemref idref="c${at}"/>`);
  const parts: Record<string, string> = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf': `<package><metadata><dc:title>The Harbour</dc:title><dc:creator>Ada Lund</dc:creator><dc:language>en</dc:language><dc:date>2021-05-03</dc:date></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ...Object.fromEntries(chapters.map((body, at) => [`OPS/c${at}.xhtml`, xhtml(body)])),
    ...more,
  };
  const file = CFB.utils.cfb_new();
  for (const [path, part] of Object.entries(parts)) CFB.utils.cfb_add(file, `/${path}`, Buffer.from(part));
  return new Uint8Array(CFB.write(file, { type: 'buffer', fileType: 'zip' }));
}

const xhtml = (body: string) =>
  `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>${body}</body></html>`;

test('chapters in order under the title, with notes, tables and metadata', async () => {
  const first =
    '<h1><a id="x"/>One</h1><p>It rained.<a epub:type="noteref" href="#n1">1</a></p><aside epub:type="footnote" id="n1"><p>All week.</p></aside>';
  const { markdown, title, about, languageHint, parts } = await readAs(
    epub,
    book([first, '<h1>Two</h1><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>']),
  );
  expect(markdown).toBe(
    '# The Harbour\n\n## One\n\nIt rained.[^1]\n\n[^1]: All week.\n\n## Two\n\n| A | B |\n| --- | --- |\n| 1 | 2 |',
  );
  expect([title, languageHint, about]).toEqual([
    'The Harbour',
    'en',
    { author: 'Ada Lund', publishedAt: '2021-05-03' },
  ]);
  expect(parts?.starts.map((start) => markdown.slice(start, start + 6))).toEqual(['## One', '## Two']);
});

test('a protected book ends as file_encrypted; obfuscated fonts do not count as protection', async () => {
  const encryption = (algorithm: string) => ({
    'META-INF/encryption.xml': `<encryption><EncryptedData><EncryptionMethod Algorithm="${algorithm}"/></EncryptedData></encryption>`,
  });
  const drm = book(['<p>x</p>'], encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc'));
  await expect(readAs(epub, drm)).rejects.toMatchObject({ code: 'file_encrypted' });
  const fonts = book(['<p>Text.</p>'], encryption('http://www.idpf.org/2008/embedding'));
  expect((await readAs(epub, fonts)).markdown).toContain('Text.');
});

test('untyped notes are recognised by links in both directions within a file', async () => {
  const dl =
    '<p>As is.<a class="footnote-reference" href="#id3" id="id1">1</a></p><dl class="footnote"><dt id="id3"><a href="#id1">1</a></dt><dd><p>See below.</p></dd></dl>';
  const sup =
    '<p>So be it.<sup><a id="r1" href="c1.xhtml#f1">1</a></sup></p><p id="f1"><a href="c1.xhtml#r1">1</a>. Amen.</p><p>x<sup><a href="#gone">2</a></sup></p>';
  expect((await readAs(epub, book([dl, sup]))).markdown).toBe(
    '# The Harbour\n\nAs is.[^1]\n\n[^1]: See below.\n\nSo be it.[^2]\n\nx<sup>2</sup>\n\n[^2]: Amen.',
  );
});

test('a chapter that is an image is skipped, except for its alternative text', async () => {
  const opf = `<package><metadata><dc:title>T</dc:title></metadata><manifest><item id="a" href="a.jpg" media-type="image/jpeg"/>
    <item id="b" href="b.jpg" media-type="image/jpeg" fallback="c"/><item id="c" href="c0.xhtml" media-type="application/xhtml+xml"/></manifest>
    <spine><itemref idref="a"/><itemref idref="b"/></spine></package>`;
  const { markdown, parts } = await readAs(
    epub,
    book(['<p>In words.</p>'], { 'OPS/book.opf': opf, 'OPS/a.jpg': 'JFIF', 'OPS/b.jpg': 'JFIF' }),
  );
  expect(markdown).toBe('# T\n\nIn words.');
  expect(parts?.starts).toHaveLength(1);
});
