import { artifactsOf } from '../../extraction/findings/findings.ts';
import { joinMembers as join, type Member } from '../../extraction/join.ts';
import { defaultLimits } from '../../extraction/limits.ts';

const joinMembers = (members: Member[]) => join(members, defaultLimits);

test('members are in order, each below a heading with its name and with its headings nested', () => {
  const joined = joinMembers([
    { name: 'First', markdown: '# Top\n\ntext\n\n## Sub\n' },
    { name: 'Second', markdown: 'Setext\n======\n\nmore\n' },
  ]);
  expect(joined).toBe('# First\n\n## Top\n\ntext\n\n### Sub\n\n# Second\n\n## Setext\n\nmore\n');
});

test('headings are limited to depth 6, and code is unchanged', () => {
  const markdown = '# A\n\n###### F\n\n```sh\n# comment\n```\n\n    # indented code\n';
  expect(joinMembers([{ name: 'M', markdown }])).toBe(
    '# M\n\n## A\n\n###### F\n\n```sh\n# comment\n```\n\n    # indented code\n',
  );
});

test('front matter is removed, and an unclosed fence does not swallow the next member', () => {
  const joined = joinMembers([
    { name: 'A', markdown: '---\ntitle: x\n---\n```\ncode' },
    { name: 'B', markdown: 'b' },
  ]);
  expect(joined).toBe('# A\n\n```\ncode\n```\n\n# B\n\nb\n');
});

test('reference links and footnotes keep their targets when members use the same labels', () => {
  const member = (to: string) => ({
    name: to,
    markdown: `See [one][1], [1][], [1] and ![pic][1] but [other](x).[^n]\n\n[1]: https://${to}.example/\n\n[^n]: note ${to}\n`,
  });
  const joined = joinMembers([member('a'), member('b'), member('c')]);
  const links = artifactsOf(joined, defaultLimits).map(({ content }) => content);
  expect(links).toEqual(['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c'].map((to) => `https://${to}.example/`));
  expect(joined).toContain('[other](x).[^n-3]\n');
  expect(joined).toContain('\n[^n-3]: note c\n');
  expect(joined.match(/\[1-2\]/g)).toHaveLength(5);
});

test('a name with Markdown characters becomes a heading with the same text', () => {
  expect(joinMembers([{ name: 'C# *and*\n[F#', markdown: 'x' }])).toBe('# C# \\*and\\* \\[F\\#\n\nx\n');
});

test('members whose total length is above the limit of a source end as extraction_limit', () => {
  const markdown = 'x'.repeat(11 * 1024 * 1024);
  expect(() =>
    joinMembers([
      { name: 'A', markdown },
      { name: 'B', markdown },
    ]),
  ).toThrow(expect.objectContaining({ code: 'extraction_limit' }));
});
