/** The headings of a document: those at its top level, not the ones inside quotes and lists. */
import type { RootContent } from 'mdast';
import { toString as textOf } from 'mdast-util-to-string';
import type { Position } from '../../../contract/extraction.ts';
import { cutText } from '../../cut-text.ts';
import type { LineIndex } from '../../markdown/lines.ts';
import { spanOf } from '../../markdown/nodes.ts';

/** A title stands above each chunk and artifact of its section. */
export const MAX_TITLE_CHARACTERS = 300;

export type OutlineEntry = { depth: number; title: string; position: Position };

/** The entry of a top-level block, which is null unless it is a heading that has a text. */
export function outlineEntryOf(block: RootContent, lines: LineIndex): OutlineEntry | null {
  if (block.type !== 'heading') return null;
  const title = textOf(block).replace(/\s+/g, ' ').trim();
  if (title === '') return null;
  const { start, end } = spanOf(block);
  return { depth: block.depth, title: cutText(title, MAX_TITLE_CHARACTERS), position: lines.position(start, end) };
}

/**
 * Titles of the headings under which each offset stands, outermost first, asked for in rising order of offsets. The
 * outline may still grow: it has to hold the headings up to the offset.
 */
export function headingPaths(outline: OutlineEntry[]): (offset: number) => string[] {
  let next = 0;
  let path: OutlineEntry[] = [];
  return (offset) => {
    for (let entry = outline[next]; entry !== undefined && entry.position.start < offset; entry = outline[next]) {
      const { depth } = entry;
      path = [...path.filter((above) => above.depth < depth), entry];
      next += 1;
    }
    const here = outline[next];
    const above = here?.position.start === offset ? path.filter((entry) => entry.depth < here.depth) : path;
    return above.map((entry) => entry.title);
  };
}
