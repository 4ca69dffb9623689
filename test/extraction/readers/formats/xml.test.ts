import { xml } from '../../../../extraction/readers/formats/xml.ts';
import { readAs } from '../../content.ts';

const read = async (text: string) => (await readAs(xml, `<?xml version="1.0"?>\n${text}`)).markdown;

test('data XML: fields become a list, repeated flat elements a table, other elements sections', async () => {
  const text = `<order number="A-17" xmlns="urn:x"><date>2024-05-01</date><customer><name>Jo &amp; Co</name>
    <city zip="4020">Linz</city></customer><line><item>Tea</item><price currency="EUR">3.50</price></line>
    <line><item>Bread</item><price currency="EUR">2.30</price><note>sliced | fresh</note></line></order>`;
  expect(await read(text)).toBe(`# order

- **number:** A-17
- **date:** 2024-05-01

## customer: Jo & Co

- **name:** Jo & Co
- **city:** Linz (zip: 4020)

## line

| item | price | note |
| --- | --- | --- |
| Tea | 3.50 (currency: EUR) |  |
| Bread | 2.30 (currency: EUR) | sliced \\| fresh |`);
});

test('DocBook reads as text', async () => {
  const text = `<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "http://www.oasis-open.org/docbook.dtd">
    <article lang="en"><title>On <emphasis>trees</emphasis></title>
    <para>Some are old<footnote><para>Very old.</para></footnote>, see <ulink url="https://x.example/">this</ulink>&mdash;or
    use <command>ls</command>.</para>
    <section><title>Kinds</title><itemizedlist><listitem><para>Oaks</para></listitem>
    <listitem><para>Elms</para><itemizedlist><listitem><para>Wych elm</para></listitem></itemizedlist></listitem></itemizedlist>
    <programlisting language="python">print(1)
  print(2)</programlisting>
    <table><title>Ages</title><tgroup cols="2"><thead><row><entry>Tree</entry><entry>Years</entry></row></thead>
    <tbody><row><entry>Oak</entry><entry>900</entry></row></tbody></tgroup></table></section></article>`;
  const { markdown, title, languageHint } = await readAs(xml, text);
  expect({ title, languageHint }).toEqual({ title: 'On trees', languageHint: 'en' });
  expect(markdown).toBe(`# On *trees*

Some are old[^1], see [this](<https://x.example/>)\\&mdash;or use \`ls\`.

## Kinds

- Oaks
- Elms

  - Wych elm

\`\`\`python
print(1)
  print(2)
\`\`\`

**Ages**

| Tree | Years |
| --- | --- |
| Oak | 900 |

[^1]: Very old.`);
});

test('mixed content becomes prose, verses become lines', async () => {
  const text = `<TEI><teiHeader><fileDesc><titleStmt><title>Songs</title><author>A. N.</author></titleStmt></fileDesc></teiHeader>
    <text><body><div><head>Spring</head><p>He <hi rend="bold">came</hi> to <placeName>Linz</placeName>.</p>
    <lg><l>The sun is up,</l><l>the moon is down.</l></lg></div></body></text></TEI>`;
  const { markdown, title } = await readAs(xml, text);
  expect(title).toBe('Songs');
  expect(markdown).toContain('# Songs\n');
  expect(markdown).toContain('# Spring\n\nHe **came** to Linz.\n\nThe sun is up,  \nthe moon is down.');
});

test('XML that is not well-formed is kept as text', async () => {
  const { markdown, warnings } = await readAs(xml, '<?xml version="1.0"?><a><b></a>');
  expect(markdown).toBe('```xml\n<?xml version="1.0"?><a><b></a>\n```');
  expect(warnings?.map(({ code }) => code)).toEqual(['xml_not_well_formed']);
});

test.each([
  ['a bomb of entities', '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a>&c;</a>', 'file_damaged'],
  ['an external entity', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', 'file_damaged'],
  ['100,000 levels', `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`, 'extraction_limit'],
])('%s ends in an error code', async (_, text, code) => {
  await expect(read(text)).rejects.toMatchObject({ code });
});

test('a DOCTYPE that only declares elements is accepted', async () => {
  expect(await read('<!DOCTYPE note [<!ELEMENT note (to)><!ELEMENT to (#PCDATA)>]><note><to>Jo</to></note>')).toBe(
    '# note\n\n- **to:** Jo',
  );
});
