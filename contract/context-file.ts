/**
 * The object with the chunks, turns and parts of a context. Its layout allows a page of chunks to be read by byte
 * range: an index with one line of fixed length per offset, then one line of JSON for each chunk, and one with the
 * turns and parts. The index has the offset of each of these lines, and of the end.
 */
import { z } from 'zod';
import { type Chunk, contextSchema, type ExtractedContext } from './extraction.ts';

/** Twelve digits and a line break. */
const ENTRY_BYTES = 13;

type ContextLines = Pick<ExtractedContext, 'chunks' | 'turns' | 'parts'>;

const lastLineSchema = contextSchema.pick({ turns: true, parts: true });
const chunksSchema = z.array(contextSchema.shape.chunks.element);

/** The bytes of the object. */
export function writeContextFile({ chunks, turns, parts }: ContextLines): Uint8Array {
  const lines = [...chunks, { turns, parts }].map((line) => Buffer.from(`${JSON.stringify(line)}\n`));
  let offset = (lines.length + 1) * ENTRY_BYTES;
  const index = [offset, ...lines.map((line) => (offset += line.byteLength))];
  return Buffer.concat([...index.map((at) => Buffer.from(`${String(at).padStart(ENTRY_BYTES - 1, '0')}\n`)), ...lines]);
}

/** Bytes of the object from one offset up to another. */
export type ReadRange = (from: number, to: number) => Promise<Uint8Array>;

/**
 * Up to `limit` chunks from the one with index `from`, of `count` in all, with the context's turns and parts.
 * @throws the errors of `readRange`
 */
export async function readContextFile(
  readRange: ReadRange,
  { count, from, limit }: { count: number; from: number; limit: number },
): Promise<ContextLines> {
  const first = Math.min(from, count);
  const after = Math.min(first + limit, count);
  const [page, last] = await Promise.all([offsets(readRange, first, after), offsets(readRange, count, count + 1)]);
  const [chunks, lastLine] = await Promise.all([lines(readRange, page), lines(readRange, last)]);
  const parsed: unknown[] = chunks.map((line) => JSON.parse(line));
  return {
    chunks: chunksSchema.parse(parsed) satisfies Chunk[],
    ...lastLineSchema.parse(JSON.parse(lastLine[0] ?? '')),
  };
}

/** The offset of the first of these lines, and of the end of the last. */
async function offsets(readRange: ReadRange, first: number, after: number): Promise<[number, number]> {
  const text = Buffer.from(await readRange(first * ENTRY_BYTES, (after + 1) * ENTRY_BYTES)).toString();
  const found = text.trim().split('\n').map(Number);
  return [found[0] ?? 0, found.at(-1) ?? 0];
}

async function lines(readRange: ReadRange, [from, to]: [number, number]): Promise<string[]> {
  if (from === to) return [];
  return Buffer.from(await readRange(from, to))
    .toString()
    .trimEnd()
    .split('\n');
}
