/** The plain text of a mail -> Markdown: what is quoted from earlier mails becomes quotes. */
import { escapeText } from '../../markdown/write.ts';

/** Deeper than discussions get; a line of a thousand ">" is no discussion. */
const maxDepth = 20;

/** Lines stay as they are written; "-- " parts the signature from the text. */
export function plainToMarkdown(text: string): string {
  const blocks: string[] = [];
  let depth = 0;
  let lines: string[] = [];
  function end(): void {
    const marks = '> '.repeat(depth);
    const content = escapeText(lines.join('\n')).replace(/^\n+/, '').trimEnd();
    // Without the look behind, each space of a run in mid-line would begin a search for the end of the line.
    if (content !== '') blocks.push(content.replace(/^/gm, marks).replace(/(?<![ \t])[ \t]+$/gm, ''));
    lines = [];
  }
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const quoted = /^(?:> ?)+/.exec(line)?.[0] ?? '';
    const level = Math.min(maxDepth, quoted.replaceAll(' ', '').length);
    if (level !== depth) end();
    depth = level;
    const said = line.slice(quoted.length);
    if (/^--[ \t]*$/.test(said)) {
      end();
      lines.push('---', '');
    } else lines.push(said);
  }
  end();
  return joined(blocks);
}

/** A quote ends at an empty line; one that is answered within a quote needs an empty line of that quote. */
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
