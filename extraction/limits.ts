/**
 * Limits of one document, each a setting of the worker (EXTRACTION_MAX_...). A document beyond a limit ends as
 * `extraction_limit`; its text is never cut. The limits of time and memory are the pool's (pool/pool.ts).
 */
import { z } from 'zod';
import { SourceError } from '../contract/errors.ts';

const limit = z.int().min(1);

export const limitsSchema = z.object({
  /** UTF-16 code units of Markdown. The default is four times the largest pasted text. */
  characters: limit.default(20 * 1024 * 1024),
  /** Pages of a PDF, slides of a presentation. */
  pages: limit.default(2_000),
  /** Cells of all sheets or tables of a document, including empty cells between others. */
  cells: limit.default(1_000_000),
  /** Files within a container (DOCX, EPUB and the like), and attachments of a mail. */
  entries: limit.default(10_000),
  /** Bytes of all files within a container after decompression. */
  inflatedBytes: limit.default(512 * 1024 * 1024),
  /** Nesting levels of elements, objects, lists or messages. */
  nesting: limit.default(200),
  /** Elements and text nodes of one page or XML part; the single-page HTML standard has some 400,000. */
  nodes: limit.default(1_000_000),
  /** Artifacts of one source. */
  artifacts: limit.default(5_000),
});
export type Limits = z.infer<typeof limitsSchema>;

export const defaultLimits: Limits = limitsSchema.parse({});

/** The unit of each limit, for messages. */
const limitUnits: Record<keyof Limits, string> = {
  characters: 'characters of text',
  pages: 'pages',
  cells: 'cells',
  entries: 'files',
  inflatedBytes: 'bytes after decompression',
  nesting: 'levels of nesting',
  nodes: 'elements',
  artifacts: 'code blocks, tables and links',
};

/** @throws SourceError `extraction_limit` when `count` is greater than the limit */
export function assertWithin(limits: Limits, limit: keyof Limits, count: number): void {
  if (count <= limits[limit]) return;
  throw new SourceError(
    'extraction_limit',
    `The content has ${count} ${limitUnits[limit]}; the limit is ${limits[limit]}.`,
  );
}
