/** The plain text of a mail -> Markdown; text quoted with ">" becomes quotes. */
import { escapeText } from '../../markdown/write.ts';

/** Limit of the quote depth; real discussions are less deep. */
const maxDepth = 20;

/** Keeps line breaks; "-- " separates the signature from the text. */
export function plainToMarkdown(text: string): string {
  const blocks: string[] = [];
  let depth = 0;
  let lines: string[] = [];
  function end(): void {
    const marks = '> '.repeat(depth);
    const content = escapeText(lines.join('\n')).replace(/^\n+/, '').trimEnd();
    // The lookbehind keeps the search linear: without it each space of a run starts a search for the line's end.
    if (content !== '') blocks.push(content.replace(/^/gm, marks).replace(/(?<![ \t])[ \t]+$/gm, ''));
    lines = [];
  }
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const quoted = /^(?:> ?)+/.exec(line)?.[0] ?? '';
    const level = Math.min(maxDepth, quoted.replaceAll(' ', '').length);
    if (level !== depth) end();
    depth = level;
    const content = line.slice(quoted.length);
    if (/^--[ \t]*$/.test(content)) {
      end();
      lines.push('---', '');
    } else lines.push(content);
  }
  end();
  return joined(blocks);
}

/** Joins blocks by empty lines, which end quotes; between two blocks in one quote the line has that quote's marks. */
function joined(blocks: readonly string[]): string {
  const pieces: string[] = [];
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    if (before === undefined) {
      pieces.push(block);
      continue;
    }
    const shared = Math.min(depthOf(before.slice(before.lastIndexOf('\n') + 1)), depthOf(block));
    pieces.push(`${'> '.repeat(shared).trimEnd()}\n${block}`);
  }
  return pieces.join('\n');
}

function depthOf(line: string): number {
  return (/^(?:> ?)*/.exec(line)?.[0] ?? '').replaceAll(' ', '').length;
}
