/**
 * Bounds of one document, each a setting of the worker (EXTRACTION_MAX_...). Beyond them extraction ends with
 * `extraction_limit`, never with a cut text.
 */
import { z } from 'zod';
import { SourceError } from '../contract/errors.ts';

const limit = z.int().min(1);

export const limitsSchema = z.object({
  /** UTF-16 code units of Markdown; by default four times the largest pasted text. */
  characters: limit.default(20 * 1024 * 1024),
  /** Pages of a PDF, slides of a presentation. */
  pages: limit.default(2_000),
  /** Cells of all sheets or tables of a document, empty ones between others included. */
  cells: limit.default(1_000_000),
  /** Files within a container (DOCX, EPUB and the like), and attachments of a mail. */
  entries: limit.default(10_000),
  /** Bytes of all files within a container once they are inflated. */
  inflatedBytes: limit.default(512 * 1024 * 1024),
  /** Levels of elements, objects, lists or messages within each other. */
  nesting: limit.default(200),
  /** Elements and texts of one page or XML part; the single-page HTML standard has some 400,000. */
  nodes: limit.default(1_000_000),
  /** Artifacts of one source. */
  artifacts: limit.default(5_000),
});
export type Limits = z.infer<typeof limitsSchema>;

export const defaultLimits: Limits = limitsSchema.parse({});

/** What each limit counts, as a message says it. */
const counted: Record<keyof Limits, string> = {
  characters: 'characters of text',
  pages: 'pages',
  cells: 'cells',
  entries: 'files',
  inflatedBytes: 'bytes once it is inflated',
  nesting: 'levels of nesting',
  nodes: 'elements',
  artifacts: 'code blocks, tables and links',
};

/** @throws SourceError `extraction_limit` when `count` is beyond the limit. */
export function assertWithin(limits: Limits, limit: keyof Limits, count: number): void {
  if (count <= limits[limit]) return;
  throw new SourceError(
    'extraction_limit',
    `The content has ${count} ${counted[limit]}; the most is ${limits[limit]}.`,
  );
}
