/** The headings of a document: those at its top level, not the ones inside quotes and lists. */
import type { RootContent } from 'mdast';
import type { Position } from '../../contract/extraction.ts';
import type { LineIndex } from '../markdown/lines.ts';
import { plainText, spanOf } from '../markdown/parse.ts';

export type OutlineEntry = { depth: number; title: string; position: Position };

/** One entry for each top-level heading that has a text, in order. */
export function outlineOf(markdown: string, blocks: RootContent[], lines: LineIndex): OutlineEntry[] {
  const outline: OutlineEntry[] = [];
  for (const block of blocks) {
    if (block.type !== 'heading') continue;
    const { start, end } = spanOf(block);
    const title = plainText(
      markdown.slice(start, end).replace(/^#{1,6}[ \t]+|[ \t]+#+[ \t]*$|\n *(?:=+|-+)[ \t]*$/g, ''),
    );
    if (title !== '') outline.push({ depth: block.depth, title, position: lines.position(start, end) });
  }
  return outline;
}

/** Titles of the headings under which each offset stands, outermost first, asked for in rising order of offsets. */
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
