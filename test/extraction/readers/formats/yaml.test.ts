import { yaml } from '../../../../extraction/readers/formats/yaml.ts';
import { readAs } from '../../content.ts';

test('mappings, lists, block texts and anchors read as a document', async () => {
  const text = [
    'title: Service # with a comment',
    'base: &base',
    '  retries: 3',
    'web:',
    '  <<: *base',
    '  note: >',
    '    one line',
    '    of text',
    'ports: [80, 443]',
    'since: 2024-01-31',
  ].join('\n');
  const { markdown, title } = await readAs(yaml, text);
  expect(title).toBe('Service');
  expect(markdown).toContain('- **ports:** 80, 443');
  expect(markdown).toContain('- **since:** 2024-01-31');
  expect(markdown).toContain('# web\n\n');
  expect(markdown).toContain('- **note:** one line of text');
});

test('several documents are joined in order', async () => {
  expect((await readAs(yaml, '---\na: 1\n---\n---\nb: 2\n...\n')).markdown).toBe('- **a:** 1\n\n---\n\n- **b:** 2');
});

test.each([
  [
    'a bomb of aliases',
    `a: &a [${'x, '.repeat(9)}x]\n${'bcdefgh'
      .split('')
      .map((name, at) => `${name}: &${name} [${`*${'abcdefg'.charAt(at)}, `.repeat(9)}x]`)
      .join('\n')}\n`,
  ],
  ['10,000 lists in one line', `${'['.repeat(10_000)}`],
  ['10,000 items in one line', `${'- '.repeat(10_000)}a`],
  ['1,000 indented keys', Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('%s ends as extraction_limit', async (_, text) => {
  await expect(readAs(yaml, text)).rejects.toMatchObject({ code: 'extraction_limit' });
});

test.each(['a: [1', 'a: b: c', '*unknown', 'a: "open', '\t- x: y\n  z'])('%j ends in an error code', async (text) => {
  await expect(readAs(yaml, text)).rejects.toMatchObject({
    code: expect.stringMatching(/^(file_damaged|extraction_limit)$/),
  });
});

test('an error has its position', async () => {
  await expect(readAs(yaml, 'a: 1\nb: [1\n')).rejects.toThrow(/at line \d+, column \d+/);
});

test('a template is kept as text', async () => {
  const text = 'metadata:\n  name: {{ .Release.Name }}\n{{- if .Values.on }}\n  on: true\n{{- end }}\n';
  const { markdown, warnings } = await readAs(yaml, text);
  expect(markdown).toBe(`\`\`\`yaml\n${text.trim()}\n\`\`\``);
  expect(warnings?.map(({ code }) => code)).toEqual(['yaml_template']);
});
