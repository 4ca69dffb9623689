/** The title of a document. */
import type { OutlineEntry } from './outline.ts';

const maxTitleCodePoints = 300;

/** The title that the format gave, else the first heading, else null. */
export function titleOf(given: string | null, outline: OutlineEntry[]): string | null {
  const chosen = given?.replace(/\s+/g, ' ').trim();
  if (chosen !== undefined && chosen !== '') return cutTitle(chosen);
  const [heading] = outline;
  return heading === undefined ? null : cutTitle(heading.title);
}

function cutTitle(title: string): string {
  if (title.length <= maxTitleCodePoints) return title;
  return Array.from(title.slice(0, maxTitleCodePoints * 2))
    .slice(0, maxTitleCodePoints)
    .join('');
}
