import { atom } from '../../../../extraction/readers/formats/atom.ts';
import { rss } from '../../../../extraction/readers/formats/rss.ts';
import { readAs } from '../../content.ts';

const channel = (items: string) => `<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Trees &amp; more</title><link>https://trees.example/</link><description>All about trees.</description>
<language>en-GB</language>${items}</channel></rss>`;

test('each entry is a section with its link, date, author and content, and a part', async () => {
  const { markdown, parts, title, languageHint, about } = await readAs(
    rss,
    channel(
      `<item><title>Oaks</title><link>/oaks</link><dc:creator>Jo Berg</dc:creator><category>Europe</category>
      <pubDate>Mon, 06 Sep 2021 00:01:00 +0200</pubDate><description>Short.</description>
      <content:encoded><![CDATA[<h1>On oaks</h1><p>They are <b>old</b>. <a href="more">More</a></p>]]></content:encoded></item>
      <item><title>Elms</title><description>Plain &lt;b&gt;elms&lt;/b&gt;</description>
      <enclosure url="https://trees.example/elms.mp3" type="audio/mpeg" length="1"/></item>`,
    ),
  );
  expect(markdown).toBe(`# Trees & more

All about trees.

## Oaks

- **Link:** <https://trees.example/oaks>
- **Date:** 2021-09-06
- **Author:** Jo Berg
- **Categories:** Europe

### On oaks

They are **old**. [More](https://trees.example/more)

## Elms

- **Enclosure:** <https://trees.example/elms.mp3> (audio/mpeg)

Plain **elms**`);
  expect({ title, languageHint }).toEqual({ title: 'Trees & more', languageHint: 'en-GB' });
  expect(about).toMatchObject({ siteName: 'Trees & more', canonicalUrl: 'https://trees.example/' });
  expect(parts?.unit).toBe('entry');
  expect(parts?.starts.map((start) => markdown.slice(start, start + 7))).toEqual(['## Oaks', '## Elms']);
});

test('RSS 1.0, which is RDF', async () => {
  const text = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://x.example/"><title>News</title>
    <link>https://x.example/</link></channel><item rdf:about="https://x.example/1"><title>One</title>
    <link>https://x.example/1</link><dc:date>2024-02-03T04:05:06Z</dc:date><description>First.</description></item></rdf:RDF>`;
  expect((await readAs(rss, text)).markdown).toBe(
    '# News\n\n## One\n\n- **Link:** <https://x.example/1>\n- **Date:** 2024-02-03\n\nFirst.',
  );
});

test('Atom with text, HTML and XHTML content', async () => {
  const text = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="html">A &lt;i&gt;B&lt;/i&gt;</title>
    <link rel="self" href="https://x.example/feed"/><link href="https://x.example/"/><updated>2024-01-01T00:00:00Z</updated>
    <author><name>Al</name></author>
    <entry><title>a &lt; b</title><link href="/e"/><updated>2024-01-02T00:00:00Z</updated>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hallo <em>du</em></p></div></content></entry>
    <entry><title>Next</title><updated>2024-01-03T00:00:00Z</updated><summary>1 &lt; 2 &amp; *3*</summary></entry></feed>`;
  const { markdown, languageHint } = await readAs(atom, text);
  expect(languageHint).toBe('de');
  expect(markdown).toBe(`# A B

## a < b

- **Link:** <https://x.example/e>
- **Date:** 2024-01-02

Hallo *du*

## Next

- **Date:** 2024-01-03

1 < 2 & \\*3\\*`);
});

test.each(['<rss version="2.0"><channel><title>x', '<feed'])('%j is damaged', async (text) => {
  await expect(readAs(rss, text)).rejects.toMatchObject({ code: 'file_damaged' });
});

test('declared entities are never expanded', async () => {
  const text = `<!DOCTYPE rss [<!ENTITY x "boom">]>${channel('<item><title>&x;</title></item>').slice(21)}`;
  expect((await readAs(rss, text)).markdown).not.toContain('boom');
});

test('more entries than the limit end as extraction_limit', async () => {
  const text = channel('<item><title>a</title></item>'.repeat(3));
  await expect(readAs(rss, text, { limits: { entries: 2 } })).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('a feed without recognised content is read as XML', async () => {
  const text = '<rss version="2.0"><channel><item><body>All that is <b>said</b>.</body></item></channel></rss>';
  expect((await readAs(rss, text)).markdown).toContain('All that is');
});

test('a feed above the entry limit ends before its entries are built', async () => {
  await expect(readAs(rss, channel('<item/>'.repeat(4)), { limits: { entries: 3 } })).rejects.toMatchObject({
    code: 'extraction_limit',
  });
});
