/** Facts of an image as a short list. */
import { escapeInline } from '../../markdown/write.ts';

/** A heading for the title, if any, and a list of the facts that have a value. */
export function factsToMarkdown(
  title: string | null,
  facts: readonly (readonly [label: string, value: string | null])[],
): string {
  const list = facts
    .filter(([, value]) => value !== null && value.trim() !== '')
    .map(([label, value]) => `- **${label}:** ${escapeInline((value ?? '').replace(/\s+/g, ' ').trim())}`)
    .join('\n');
  return title === null ? list : `# ${escapeInline(title)}\n\n${list}`;
}
