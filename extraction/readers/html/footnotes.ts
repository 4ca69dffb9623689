/** Footnotes of a page: marks that lead to a note of it, and the notes, wherever they stand. */
import { type DomDocument, type DomElement, isLongerThan, lineOf } from './dom.ts';

/** Notes by their number, taken out of the document. */
export type Footnotes = ReadonlyMap<string, DomElement>;

const references = [
  'sup a[href^="#"], a[href^="#"] sup',
  'a.footnote-ref, a.footnote-reference, a.footnote, a[data-footnote-ref]',
  '[role="doc-noteref"], a[epub\\:type="noteref"]',
].join();
const backLinks = [
  '.footnote-backref, .footnote-back, .mw-cite-backlink, .reversefootnote, a.fn-backref',
  '.data-footnote-backref, [data-footnote-backref], [role="doc-backlink"]',
].join();
const marked = /^[[(]?(?:\d{1,4}|[a-z]{1,2}|[*†‡§¶#]{1,4}|(?:note|n|nb|注|fn)\.? ?\d{1,3})[\])]?$/i;
const mostNotes = 5_000;
/** Letters of a note. */
const mostOfNote = 2_999;

/**
 * Turns each mark whose note is on the page into an element `footnote-ref` and takes the notes from where they stand; they
 * are still in the document, so that what is done to it is done to them, until `holdFootnotes` takes them out. They are
 * counted from 1 in the order of their first marks. Addresses must not be absolute yet.
 */
export function takeFootnotes(document: DomDocument): Footnotes {
  const notes = new Map<string, DomElement>();
  const numbers = new Map<DomElement, string>();
  const marks = Array.from(document.querySelectorAll(references));
  if (marks.length === 0) return notes;
  const byId = new Map<string, DomElement>();
  for (const element of document.querySelectorAll('[id], a[name]')) {
    const id = element.getAttribute('id') ?? element.getAttribute('name') ?? '';
    if (!byId.has(id)) byId.set(id, element);
  }
  for (const mark of marks) {
    const link = mark.localName === 'a' ? mark : (mark.closest('a') ?? mark.querySelector('a'));
    const note = noteOf(byId.get(decoded(link?.getAttribute('href') ?? '')));
    if (link === null || note === null || note.contains(link) || !marked.test(lineOf(link)) || notes.size >= mostNotes)
      continue;
    const number = numbers.get(note) ?? String(notes.size + 1);
    numbers.set(note, number);
    notes.set(number, note);
    const reference = document.createElement('footnote-ref');
    reference.append(document.createTextNode(number));
    const around = link.closest('sup');
    (around !== null && !isLongerThan(around, lineOf(link).length) ? around : link).replaceWith(reference);
  }
  const holder = document.createElement('footnote-holder');
  const emptied = new Set<DomElement>();
  for (const note of notes.values()) {
    removeLabels(note);
    if (note.parentElement !== null) emptied.add(note.parentElement);
    holder.append(note);
  }
  removeEmpty(emptied);
  if (notes.size > 0) document.body.append(holder);
  return notes;
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href.replace(/^#/, ''));
  } catch {
    return href.replace(/^#/, '');
  }
}

/** The block that a mark leads to, or null where that is no note. */
function noteOf(target: DomElement | undefined): DomElement | null {
  if (target === undefined) return null;
  if (/^(?:dt|a|span|sup|b|strong)$/.test(target.localName)) {
    const block = target.localName === 'dt' ? target.nextElementSibling : target.closest('li, p, dd, td, div');
    return block !== null && !isLongerThan(block, mostOfNote) ? block : null;
  }
  return /^(?:li|p|div|aside|dd|td)$/.test(target.localName) &&
    isLongerThan(target, 0) &&
    !isLongerThan(target, mostOfNote)
    ? target
    : null;
}

/** Links back to the marks, and the note's own mark. */
function removeLabels(note: DomElement): void {
  for (const link of Array.from(note.querySelectorAll(backLinks))) link.remove();
  for (const link of Array.from(note.querySelectorAll('a')))
    if (/^(?:[\s\u21a9\u2191^]|\ufe0e)+$/.test(link.textContent ?? '')) link.remove();
  for (const label of Array.from(note.querySelectorAll('.label'))) label.remove();
}

/** Removes what has no text any more, with the heading above it; level by level, so that each list is looked at once. */
function removeEmpty(elements: ReadonlySet<DomElement>): void {
  const outer = new Set<DomElement>();
  for (const element of elements) {
    if (element.localName === 'body' || isLongerThan(element, 0)) continue;
    const { parentElement: parent, previousElementSibling: heading } = element;
    if (heading !== null && /^h[1-6]$/.test(heading.localName)) heading.remove();
    element.remove();
    if (parent !== null) outer.add(parent);
  }
  if (outer.size > 0) removeEmpty(outer);
}

/** Takes the notes out of the document. */
export function holdFootnotes(document: DomDocument): void {
  document.querySelector('footnote-holder')?.remove();
}

/** Puts the notes whose marks are in the content behind it; notes may have marks, too. */
export function giveBackFootnotes(document: DomDocument, content: DomElement, notes: Footnotes): void {
  if (notes.size === 0) return;
  const list = document.createElement('footnote-list');
  const pending = Array.from(content.querySelectorAll('footnote-ref'), lineOf);
  const seen = new Set<string>();
  for (const number of pending) {
    const note = notes.get(number);
    if (seen.has(number) || note === undefined) continue;
    seen.add(number);
    const element = document.createElement('footnote-text');
    element.setAttribute('data-number', number);
    element.append(...Array.from(note.childNodes));
    list.append(element);
    for (const mark of element.querySelectorAll('footnote-ref')) pending.push(lineOf(mark));
  }
  if (seen.size > 0) content.append(list);
}
