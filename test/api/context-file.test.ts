/** The stored form of a context allows reading a page of its chunks without the others. */
import { readContextFile, writeContextFile } from '../../contract/context-file.ts';

const chunk = (index: number) => ({
  index,
  headings: ['Über'],
  text: `Text ${index}\nwith "quotes", \u2028 and ${'ä'.repeat(index * 7)}`,
  tokens: index,
  opening: null,
  kinds: ['text' as const],
  parts: null,
  speakers: [],
  position: { start: index, end: index + 1, startLine: index + 1, endLine: index + 2 },
});

test.each([0, 1, 2, 5, 101])('%d chunks are read in pages; a page of one reads less than 600 bytes', async (count) => {
  const chunks = Array.from({ length: count }, (_, index) => chunk(index));
  const turns = [{ role: 'user' as const, speaker: 'Anna', position: { start: 0, end: 1, startLine: 1, endLine: 1 } }];
  const parts = [{ number: 1, position: { start: 0, end: 1, startLine: 1, endLine: 1 } }];
  const file = writeContextFile({ chunks, turns, parts });
  let read = 0;
  const readRange = async (from: number, to: number) => {
    read += to - from;
    return file.subarray(from, to);
  };
  for (const limit of [1, 2, 100]) {
    for (let from = 0; from <= count; from += limit) {
      const page = await readContextFile(readRange, { count, from, limit });
      expect(page).toEqual({ chunks: chunks.slice(from, from + limit), turns, parts });
    }
  }
  read = 0;
  await readContextFile(readRange, { count, from: 0, limit: 1 });
  expect(read).toBeLessThan(600);
});

test('chunks that were written before they had places and openings are readable', async () => {
  const { index, headings, text, tokens, position } = chunk(0);
  const old = Buffer.from(`${JSON.stringify({ index, headings, text, tokens, position })}\n`);
  const [, last] = Buffer.from(writeContextFile({ chunks: [chunk(0)], turns: [], parts: [] }))
    .toString()
    .slice(39)
    .split('\n');
  const lines = [old, Buffer.from(`${last}\n`)];
  const offsets = [39, 39 + old.length, 39 + old.length + (lines[1]?.length ?? 0)];
  const file = Buffer.concat([...offsets.map((at) => Buffer.from(`${String(at).padStart(12, '0')}\n`)), ...lines]);
  const page = await readContextFile(async (from, to) => file.subarray(from, to), { count: 1, from: 0, limit: 1 });
  expect(page.chunks).toEqual([{ ...chunk(0), opening: null, kinds: [], parts: null, speakers: [] }]);
});
