/**
 * Quality on web pages whose main text is marked by third parties: `html/<id>.html.gz` and `expected.jsonl` (one object a
 * line: id, url, type, mainContent). The Web Content Extraction Benchmark (WCXB, Murrough Foley, 2026) was converted to
 * this format.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { createExtractionPool } from '../../extraction/pool/pool.ts';
import { type Overlap, overlapOf } from '../../test/support/word-overlap.ts';
import type { Resources } from '../runs/stack.ts';
import { table } from '../table.ts';

const pageSchema = z.object({ id: z.string(), url: z.string(), type: z.string(), mainContent: z.string() });

const TIMEOUT_MS = 60_000;
const MEMORY_MB = 768;

/** Markdown as plain text: without the addresses of links, and without images. */
function textOf(markdown: string): string {
  return markdown
    .replace(/!\[(?:\\.|[^\]\\])*\]\([^)]*\)/g, ' ')
    .replace(/\]\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/g, '] ');
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];

function overlap(found: string, expected: string): Overlap {
  const left = new Map<string, number>();
  const wanted = wordsOf(expected);
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  const words = wordsOf(found);
  const common = words.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  }).length;
  return overlapOf({ found: words.length, expected: wanted.length, common });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function row(name: string, pages: readonly Overlap[]): string[] {
  const figures = [pages.map(({ f1 }) => f1), pages.map((page) => page.precision), pages.map(({ recall }) => recall)];
  return [name, String(pages.length), ...figures.map((values) => mean(values).toFixed(3))];
}

/** Reads every page of the folder as the service would, and returns the means by type and over all. */
export async function pagesReport(folder: string, { acquire }: Resources): Promise<string> {
  const lines = (await readFile(join(folder, 'expected.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
  const pages = lines.map((line) => pageSchema.parse(JSON.parse(line)));
  if (pages.length === 0) throw new Error(`${folder} holds no pages.`);
  const { pool, stop } = await acquire(async () => {
    const made = createExtractionPool({ processes: 2, timeoutMs: TIMEOUT_MS, memoryMb: MEMORY_MB });
    return { pool: made, stop: () => made.close() };
  });
  let failed = 0;
  const overlaps = await Promise.all(
    pages.map(async ({ id, url, mainContent }) => {
      const bytes = new Uint8Array(gunzipSync(await readFile(join(folder, 'html', `${id}.html.gz`))));
      try {
        const content = { bytes, filename: null, contentType: 'text/html', url };
        const { markdown } = await pool.run('convert', content);
        return overlap(textOf(markdown), mainContent);
      } catch {
        failed += 1;
        return overlap('', mainContent);
      }
    }),
  );
  await stop();
  const types = [...new Set(pages.map(({ type }) => type))].sort();
  const rows = types.map((type) =>
    row(
      type,
      overlaps.filter((_, index) => pages[index]?.type === type),
    ),
  );
  const report = table([['', 'pages', 'F1', 'precision', 'recall'], row('all', overlaps), ...rows]);
  return failed === 0 ? report : `${report}\n${failed} pages could not be read; they count as empty.`;
}
