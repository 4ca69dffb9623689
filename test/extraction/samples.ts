/** Sample documents with their expected results. */
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

/** Returns all samples of a folder of test/samples. */
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

/** Returns a message for each unmet expectation; empty when all are met. */
export function unmetExpectations({ expected }: Sample, { markdown, title }: Reading): string[] {
  const unmet: string[] = [];
  const text = plain(markdown);
  let from = 0;
  for (const string of expected.strings) {
    const at = text.indexOf(plain(string), from);
    if (at !== -1) from = at + plain(string).length;
    else unmet.push(`${text.includes(plain(string)) ? 'out of order' : 'missing'}: ${string}`);
  }
  for (const string of expected.absent) if (text.includes(plain(string))) unmet.push(`unwanted: ${string}`);
  for (const { header, rows } of expected.tables) {
    const found = tablesOf(markdown).some(
      (table) => table.rows === rows && table.header === header.map(plain).join('|'),
    );
    if (!found) unmet.push(`no table of ${rows} rows: ${header.join(' | ')}`);
  }
  if (expected.title !== title) unmet.push(`title: ${title}`);
  return unmet;
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

/** Removes Markdown syntax and collapses white space. */
function plain(markdown: string): string {
  return markdown
    .replace(/<br>/g, ' ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*~`]/g, '')
    .replace(/^\s*(?:[#>|]+|- )\s*/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns the bytes of one sample. */
export function sampleOf(folder: string, name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dirname, '..', 'samples', folder, name)));
}
