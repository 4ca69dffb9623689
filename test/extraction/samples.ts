/** Sample documents, and what a reader expects to find in each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Reading } from '../../extraction/content.ts';

const expectedSchema = z.object({
  origin: z.string(),
  strings: z.array(z.string()),
  tables: z.array(z.object({ header: z.array(z.string()), rows: z.int() })).default([]),
  title: z.string().nullable().default(null),
  absent: z.array(z.string()).default([]),
});

export interface Sample {
  name: string;
  bytes: Uint8Array;
  expected: z.infer<typeof expectedSchema>;
}

/** All samples of a folder of test/samples. */
export function samplesOf(folder: string): Sample[] {
  const path = join(import.meta.dirname, '..', 'samples', folder);
  return readdirSync(path)
    .filter((name) => !name.endsWith('.expected.json'))
    .map((name) => {
      const expectation = readFileSync(join(path, name.replace(/\.[^.]+$/, '.expected.json')), 'utf8');
      return {
        name,
        bytes: new Uint8Array(readFileSync(join(path, name))),
        expected: expectedSchema.parse(JSON.parse(expectation)),
      };
    });
}

/** What of an expectation a reading lacks, in words; nothing when all of it is there. */
export function lacking({ expected }: Sample, { markdown, title }: Reading): string[] {
  const lacks: string[] = [];
  const text = plain(markdown);
  let from = 0;
  for (const string of expected.strings) {
    const at = text.indexOf(plain(string), from);
    if (at !== -1) from = at + plain(string).length;
    else lacks.push(`${text.includes(plain(string)) ? 'out of order' : 'missing'}: ${string}`);
  }
  for (const string of expected.absent) if (text.includes(plain(string))) lacks.push(`should not be there: ${string}`);
  for (const { header, rows } of expected.tables) {
    const found = tablesOf(markdown).some(
      (table) => table.rows === rows && table.header === header.map(plain).join('|'),
    );
    if (!found) lacks.push(`no table of ${rows} rows: ${header.join(' | ')}`);
  }
  if (expected.title !== title) lacks.push(`title: ${title}`);
  return lacks;
}

function tablesOf(markdown: string): { header: string; rows: number }[] {
  return Array.from(markdown.matchAll(/^\|(.*)\|\n\|(?: --- \|)+((?:\n\|.*\|)*)/gm), ([, header = '', body = '']) => ({
    header: header
      .split(/(?<!\\)\|/)
      .map(plain)
      .join('|'),
    rows: body.split('\n').length - 1,
  }));
}

/** Text without the marks of Markdown, white space as one space. */
function plain(markdown: string): string {
  return markdown
    .replace(/<br>/g, ' ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*~`]/g, '')
    .replace(/^\s*(?:[#>|]+|- )\s*/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The bytes of one sample. */
export function sampleOf(folder: string, name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dirname, '..', 'samples', folder, name)));
}
