/** A composition's members -> one Markdown text. */

import { assertWithin, type Limits } from './limits.ts';
import { closeFence, demoteHeadings } from './markdown/demote.ts';
import { renameLabels } from './markdown/labels.ts';
import { withoutFrontMatter } from './readers/formats/markdown.ts';

export type Member = {
  name: string;
  markdown: string;
};

/**
 * The members in order. Each has a heading with its name, and its own headings are nested below that (up to depth 6).
 * Front matter is left out. Reference labels that an earlier member uses are renamed, so that every link keeps its
 * target.
 * @throws SourceError `extraction_limit` when the result is too long
 */
export function joinMembers(parts: Member[], limits: Limits): string {
  const labels = new Set<string>();
  const members = parts.map(({ name, markdown }, index) => {
    const own = renameLabels(withoutFrontMatter(markdown).trim(), labels, index + 1);
    const body = closeFence(demoteHeadings(own, 2));
    return `# ${headingText(name)}\n\n${body}`.trimEnd();
  });
  const markdown = members.length === 0 ? '' : `${members.join('\n\n')}\n`;
  assertWithin(limits, 'characters', markdown.length);
  return markdown;
}

/** A name as the text of a heading: on one line, with Markdown syntax escaped. */
function headingText(name: string): string {
  return name
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<]/g, '\\$&')
    .replace(/#+$/, (marks) => marks.replaceAll('#', '\\#'));
}
