/** Who wrote a page and when, as its text says it near the heading. */
import { isoDateOf } from './date.ts';
import { type DomDocument, type DomElement, lineOf } from './dom.ts';

/** Letters of a line that is a date, or a name, and little else. */
const mostOfLine = 60;
/** Elements after the heading among which its line is looked for, and before it. */
const nearAfter = 120;
const nearBefore = 40;

/** The date of the line nearest below the heading whose name says that it is one, else of one just above; null for none. */
export function shownDateOf(document: DomDocument): string | null {
  for (const element of nearHeading(document, /(?:date|datum|fecha|data|published|pubdate|posted|time)(?!r|line)/i)) {
    const date = isoDateOf(lineOf(element));
    if (date !== null) return date;
  }
  return null;
}

/** The line near the heading whose name or address says that it is the author. */
export function shownAuthorOf(document: DomDocument): string | null {
  for (const element of nearHeading(document, /author|autor(?!i[sz])|byline|verfasser|auteur/i)) {
    const line = lineOf(element);
    if (line.length > 3 && isoDateOf(line) === null && !/\d|[!?]/.test(line)) return line;
  }
  return null;
}

/** Short lines near the first heading that name themselves so, those below it first. */
function nearHeading(document: DomDocument, name: RegExp): DomElement[] {
  const elements = Array.from(document.querySelectorAll('body *'));
  const heading = elements.findIndex((element) => element.localName === 'h1' && lineOf(element) !== '');
  if (heading === -1) return [];
  const isNamed = (element: DomElement) => {
    const names = `${element.getAttribute('class') ?? ''} ${element.getAttribute('itemprop') ?? ''} ${element.localName === 'time' ? 'time' : ''} ${/\/(?:author|autor)e?n?\//.exec(element.getAttribute('href') ?? '')?.[0] ?? ''}`;
    return (
      name.test(names) &&
      !/updat|modif|chang/i.test(names) &&
      lineOf(element) !== '' &&
      lineOf(element).length <= mostOfLine
    );
  };
  const before = elements.slice(Math.max(0, heading - nearBefore), heading).toReversed();
  return [...elements.slice(heading + 1, heading + nearAfter), ...before].filter(isNamed);
}
