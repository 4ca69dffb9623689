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
 * The members in order, each below a heading of its name, their own headings nested below that (depth 6 at most).
 * Front matter is left out, and reference labels that an earlier member uses are renamed, so that every link keeps its
 * target. Throws SourceError `extraction_limit` when the whole is too long.
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

/** A name as the text of a heading: on one line, and without marks that would end or open something. */
function headingText(name: string): string {
  return name
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*[\]<]/g, '\\$&')
    .replace(/#+$/, (marks) => marks.replaceAll('#', '\\#'));
}
