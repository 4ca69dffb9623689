/** Moves the headings of a piece of HTML down, so that it can stand below a heading of something larger. */
import type { DomDocument } from './dom.ts';

/** The highest heading gets the depth `top` (1 to 6) or stays lower; none gets below 6. True where there is any. */
export function lowerHeadings(document: DomDocument, top: number): boolean {
  const headings = Array.from(document.querySelectorAll('h1, h2, h3, h4, h5, h6')).filter(
    ({ textContent }) => (textContent ?? '').trim() !== '',
  );
  const depths = headings.map(({ localName }) => Number(localName.slice(1)));
  const by = top - depths.reduce((least, depth) => Math.min(least, depth), top);
  for (const [at, heading] of by === 0 ? [] : headings.entries()) {
    const lower = document.createElement(`h${Math.min(6, (depths[at] ?? 0) + by)}`);
    const id = heading.getAttribute('id');
    if (id !== null) lower.setAttribute('id', id);
    lower.append(...Array.from(heading.childNodes));
    heading.replaceWith(lower);
  }
  return headings.length > 0;
}
