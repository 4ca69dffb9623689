/** Compares the main text of the sample pages with the marked main text, word by word. */
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { defaultLimits } from '../../../../extraction/limits.ts';
import { readPage } from '../../../../extraction/readers/html/page.ts';
import { addCounts, type Counts, countMainText, overlapOf } from '../../../support/word-overlap.ts';

const folder = new URL('../../../samples/html/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.html'))
  .map((name) => name.slice(0, -'.html'.length));
const expectation = z.object({
  url: z.string(),
  title: z.string().optional(),
  about: z.record(z.string(), z.string()).default({}),
  main: z.array(z.string()),
  absent: z.array(z.string()),
});

const minPageF1 = 0.6;
const minOverall = { precision: 0.9, recall: 0.98 };
/** Maximum share of the listed strings of navigation, consent and the like that occur in the text. */
const maxUnwantedShare = 0.1;
const unwanted: string[] = [];
let listed = 0;
const counts = new Map<string, Counts>();

function pageOf(name: string) {
  const html = readFileSync(new URL(`${name}.html`, folder), 'utf8');
  const expected = expectation.parse(JSON.parse(readFileSync(new URL(`${name}.expected.json`, folder), 'utf8')));
  return { expected, reading: readPage(html, expected.url, defaultLimits) };
}

test.each(names)('the main text of %s', (name) => {
  const { expected, reading } = pageOf(name);
  const { markdown, title, about } = reading;
  const count = countMainText(markdown, expected.main);
  counts.set(name, count);
  expect(about).toMatchObject(expected.about);
  if (expected.title !== undefined) expect(title).toBe(expected.title);
  unwanted.push(...expected.absent.filter((text) => markdown.includes(text)).map((text) => `${name}: ${text}`));
  listed += expected.absent.length;
  expect(overlapOf(count).f1).toBeGreaterThan(minPageF1);
});

test('precision and recall of all pages', () => {
  const all = addCounts([...counts.values()]);
  const lines = [...counts].map(([name, count]) => line(name, count));
  lines.push(`${unwanted.length} of ${listed} unwanted strings are in the text`, ...unwanted);
  console.info([...lines, line(`${counts.size} pages`, all)].join('\n'));
  expect(counts.size).toBeGreaterThanOrEqual(30);
  expect(unwanted.length / listed).toBeLessThan(maxUnwantedShare);
  expect(overlapOf(all).precision).toBeGreaterThan(minOverall.precision);
  expect(overlapOf(all).recall).toBeGreaterThan(minOverall.recall);
});

function line(name: string, count: Counts): string {
  const { precision, recall, f1 } = overlapOf(count);
  return `${name.padEnd(22)} precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}  F1 ${f1.toFixed(3)}`;
}
