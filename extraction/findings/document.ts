/** What context and artifacts are found in. */
import type { ExtractedContext } from '../../contract/extraction.ts';
import type { Converted } from '../content.ts';
import type { LineIndex } from '../markdown/lines.ts';
import type { OutlineEntry } from './context/outline.ts';

/** What reading made, or the joined Markdown of a composition. */
export type Document = Omit<Converted, 'format'> & { format: ExtractedContext['format'] };

/** A document's Markdown while its blocks are read one after another. */
export interface Markdown {
  text: string;
  lines: LineIndex;
  /** The headings so far, with that of the current block. */
  outline: OutlineEntry[];
}
