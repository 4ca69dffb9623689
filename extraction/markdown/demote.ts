/** Moves the headings of a Markdown text down, so that it can stand below a heading of something larger. */
import { spanOf } from './nodes.ts';
import { parseMarkdown } from './parse.ts';

/**
 * The text with its top-level headings moved so that the highest has the depth `top` (1 to 6) or stays lower; none
 * gets below 6. Underlined headings become "#" ones. Code is not touched.
 */
export function demoteHeadings(markdown: string, top: number): string {
  if (!/^ {0,3}(?:#|=+[ \t]*$|-+[ \t]*$)/m.test(markdown)) return markdown;
  const headings = [...parseMarkdown(markdown, { inline: false }).filter((block) => block.type === 'heading')];
  const by = top - headings.reduce((highest, { depth }) => Math.min(highest, depth), 6);
  if (by <= 0) return markdown;
  const parts: string[] = [];
  let last = 0;
  for (const heading of headings) {
    const { start, end } = spanOf(heading);
    const source = markdown.slice(start, end);
    const text = source.startsWith('#')
      ? source.replace(/^#+[ \t]*/, '').replace(/(?:^|[ \t]+)#+[ \t]*$/, '')
      : source.replace(/\n[^\n]*$/, '').replace(/\s*\n\s*/g, ' ');
    parts.push(markdown.slice(last, start), `${'#'.repeat(Math.min(6, heading.depth + by))} ${text}`.trimEnd());
    last = end;
  }
  parts.push(markdown.slice(last));
  return parts.join('');
}

/** Closes a fence that the text leaves open, so that what is put behind it is not code. */
export function closeFence(markdown: string): string {
  let open: string | null = null;
  for (const line of markdown.split('\n')) open = fenceAfter(line, open);
  return open === null ? markdown : `${markdown.trimEnd()}\n${open}`;
}

/** The fence (its marks) that is open after this line, given the one that was open before it. */
export function fenceAfter(line: string, open: string | null): string | null {
  const marks = /^\s*(`{3,}|~{3,})(.*)$/.exec(line);
  const fence = marks?.[1];
  if (fence === undefined) return open;
  const rest = marks?.[2] ?? '';
  if (open === null) return fence.startsWith('`') && rest.includes('`') ? null : fence;
  return fence.startsWith(open) && rest.trim() === '' ? null : open;
}
