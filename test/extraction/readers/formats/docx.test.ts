import { CFB } from '@e965/xlsx';
import { docx } from '../../../../extraction/readers/formats/docx.ts';
import { readAs } from '../../content.ts';
import { officeFile, wordFile } from '../../office-file.ts';
import { samplesOf, unmetExpectations } from '../../samples.ts';

const samples = samplesOf('docx');
const p = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const r = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;

test.each(samples)('$name has all expected strings and tables, in order', async (sample) => {
  const reading = await readAs(docx, sample.bytes);
  expect(unmetExpectations(sample, reading)).toEqual([]);
  expect(await readAs(docx, sample.bytes)).toEqual(reading);
});

async function markdownOf(body: string, parts: Record<string, string> = {}): Promise<string> {
  return (await readAs(docx, wordFile(body, parts))).markdown;
}

test('each page part begins at its first text', async () => {
  const bytes = wordFile(
    p(r('One.')) +
      p('<w:r><w:br w:type="page"/></w:r>') +
      p(
        `<w:r><w:lastRenderedPageBreak/></w:r>${r('Two begins')}<w:r><w:lastRenderedPageBreak/></w:r>${r('and three.')}`,
      ) +
      p(r('Four'), '<w:pageBreakBefore/><w:outlineLvl w:val="0"/>'),
  );
  const { markdown, parts } = await readAs(docx, bytes);
  const starts = parts?.starts ?? [];
  expect(parts?.unit).toBe('page');
  expect(starts.map((start, at) => markdown.slice(start, starts[at + 1]).trim())).toEqual([
    'One.',
    'Two begins',
    'and three.',
    '# Four',
  ]);
});

test('a document without page breaks has no page parts', async () => {
  expect((await readAs(docx, wordFile(p(r('Text.'))))).parts).toBeUndefined();
});

test('emphasis that Markdown would not recognise is moved off punctuation or dropped', async () => {
  const bold = '<w:b/>';
  expect(await markdownOf(p(r('Total: ', bold) + r('5') + r('(a)', bold) + r('b')))).toBe('**Total:** 5(a)b');
  expect(await markdownOf(p(r('「強調」', bold) + r('です')))).toBe('「強調」です');
  expect(await markdownOf(p(r('Name:', bold) + r('value')))).toBe('**Name**:value');
});

test('text that looks like a list, heading or rule is escaped', async () => {
  const lines = ['1. May', '- dash', '# hash', '* star', '---', '=== ', '[x]: y', '> more', '+ plus', '| bar'];
  const markdown = await markdownOf(lines.map((line) => p(r(line.replaceAll('>', '&gt;')))).join(''));
  expect(markdown.split('\n\n')).toEqual([
    '1\\. May',
    '\\- dash',
    '\\# hash',
    '\\* star',
    '\\---',
    '\\===',
    '\\[x]: y',
    '\\> more',
    '\\+ plus',
    '\\| bar',
  ]);
});

test('footnotes are numbered in order of reference', async () => {
  const note = (id: number, text: string) => `<w:footnote w:id="${id}">${p(r(text))}</w:footnote>`;
  const refer = (id: number) => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
  const markdown = await markdownOf(p(r('A') + refer(7) + r(' B') + refer(3)), {
    footnotes: `<w:footnotes><w:footnote w:id="0" w:type="separator">${p(r('---'))}</w:footnote>${note(3, 'three')}${note(7, 'seven')}</w:footnotes>`,
  });
  expect(markdown).toBe('A[^1] B[^2]\n\n[^1]: seven\n\n[^2]: three');
});

test('spans leave cells empty and are counted', async () => {
  const cell = (text: string, properties = '') => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(r(text))}</w:tc>`;
  const table = `<w:tbl><w:tr>${cell('Wide', '<w:gridSpan w:val="2"/>')}${cell('C')}</w:tr><w:tr>${cell('Tall', '<w:vMerge w:val="restart"/>')}${cell('1')}${cell('2')}</w:tr><w:tr>${cell('', '<w:vMerge/>')}${cell('3')}${cell('4')}</w:tr></w:tbl>`;
  const { markdown, warnings } = await readAs(docx, wordFile(table));
  expect(markdown).toBe('| Wide |  | C |\n| --- | --- | --- |\n| Tall | 1 | 2 |\n|  | 3 | 4 |');
  expect(warnings?.map(({ code }) => code)).toEqual(['merged_cells']);
});

test('a span over more columns than the cell limit ends as extraction_limit', async () => {
  const table = `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000"/></w:tcPr>${p(r('x'))}</w:tc></w:tr></w:tbl>`;
  await expect(readAs(docx, wordFile(table))).rejects.toMatchObject({ code: 'extraction_limit' });
});

test('a formula becomes LaTeX', async () => {
  const t = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
  const fraction = `<m:f><m:num>${t('−b±')}<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e><m:sSup><m:e>${t('𝑏')}</m:e><m:sup>${t('2')}</m:sup></m:sSup>${t('−4ac')}</m:e></m:rad></m:num><m:den>${t('2a')}</m:den></m:f>`;
  const markdown = await markdownOf(
    `<w:p><m:oMathPara><m:oMath>${t('x=')}${fraction}</m:oMath></m:oMathPara></w:p>${p(`${r('where ')}<m:oMath>${t('α∈ℝ')}</m:oMath>`)}`,
  );
  expect(markdown).toBe('$$x=\\frac{-b\\pm \\sqrt{b^{2}-4ac}}{2a}$$\n\nwhere $\\alpha \\in \\mathbb{R}$');
});

test('unusual namespace prefixes are read', async () => {
  const body =
    '<x:document xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><x:body><x:p><x:r><x:t>Found.</x:t></x:r></x:p></x:body></x:document>';
  expect((await readAs(docx, officeFile({ 'word/document.xml': body }))).markdown).toBe('Found.');
});

test('a compound file with an encrypted package is file_encrypted, any other and a broken one file_damaged', async () => {
  const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
  const container = CFB.utils.cfb_new();
  CFB.utils.cfb_add(container, '/EncryptedPackage', Buffer.alloc(8000));
  const encrypted = new Uint8Array(CFB.write(container, { type: 'buffer' }));
  expect(
    docx.kind === 'binary' && docx.matches?.({ bytes: encrypted, contentType: null, filename: null, url: null }),
  ).toBe(true);
  await expect(readAs(docx, encrypted)).rejects.toMatchObject({ code: 'file_encrypted' });
  await expect(readAs(docx, compound)).rejects.toMatchObject({ code: 'file_damaged' });
  await expect(readAs(docx, officeFile({ 'a.txt': 'b' }))).rejects.toMatchObject({ code: 'file_damaged' });
  const [sample] = samples;
  await expect(readAs(docx, sample?.bytes.subarray(0, 9_000) ?? compound)).rejects.toMatchObject({
    code: 'file_damaged',
  });
});
