import { code } from '../../../../extraction/readers/formats/code.ts';
import { readAs } from '../../content.ts';

test.each([
  ['main.py', 'python'],
  ['src/App.tsx', 'tsx'],
  ['Makefile', 'make'],
  ['Dockerfile.dev', 'dockerfile'],
  ['schema.SQL', 'sql'],
  ['.env.local', 'properties'],
  ['main.tf', 'hcl'],
])('%s is %s', async (filename, language) => {
  expect(await readAs(code, 'x = 1\n', { filename })).toEqual({
    markdown: `\`\`\`${language}\nx = 1\n\`\`\``,
    title: filename.split('/').at(-1),
    languageHint: null,
  });
});

test.each([
  ['#!/usr/bin/env python3', 'python'],
  ['#!/bin/sh -e', 'bash'],
  ['#!/usr/bin/env -S node --no-warnings', 'javascript'],
  ['#!/usr/bin/perl -w', 'perl'],
])('%s is %s', async (line, language) => {
  expect((await readAs(code, `${line}\nx\n`)).markdown).toMatch(new RegExp(`^\`\`\`${language}\n`));
});

test('the content type gives the language of a file without a name', async () => {
  expect((await readAs(code, 'a', { contentType: 'text/x-python; charset=utf-8' })).markdown).toMatch(/^```python/);
});

test('a fence within the code does not end it', async () => {
  expect((await readAs(code, '"""\n```\nx\n```\n"""', { filename: 'a.py' })).markdown).toMatch(/^````python\n/);
});
