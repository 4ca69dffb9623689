/** One chapter of an EPUB -> Markdown. */
import { posix } from 'node:path';
import type { Limits } from '../../limits.ts';
import { escapeInline } from '../../markdown/write.ts';
import type { DomDocument, DomElement } from '../html/dom.ts';
import { fragmentDocument } from '../html/fragment.ts';
import { lowerHeadings } from '../html/headings.ts';
import { turndown } from '../html/markdown.ts';
import { pathIn } from './package.ts';

/** Notes of a book: the numbers of referenced notes by file and id, and the number of images without text. */
export interface BookNotes {
  numbers: Map<string, number>;
  imagesWithoutText: number;
}

const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

export interface ChapterReader {
  /** Depth of the highest heading, and the heading for a chapter without one. */
  head: { top: number; label: string | null };
  notes: BookNotes;
  limits: Limits;
}

/** The chapter, followed by its notes as definitions; empty for a page of pictures or a table of contents. */
export function chapterToMarkdown(source: string, path: string, { head, notes, limits }: ChapterReader): string {
  // HTML parsers read "<a id='x'/>" as a start tag.
  const html = source.replace(/<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi, (tag, name: string, rest: string) =>
    voidElements.test(name) ? tag : `<${name}${rest}></${name}>`,
  );
  const document = fragmentDocument(html, null, limits);
  if (isContents(document)) return '';
  const isHeaded = lowerHeadings(document, head.top);
  const own = numberOwnNotes(document, notes);
  markReferences(document, path, notes);
  const definitions = extractNotes(document, path, notes, own);
  for (const image of document.querySelectorAll('img')) {
    if ((image.getAttribute('alt') ?? '').trim() === '') notes.imagesWithoutText += 1;
  }
  for (const link of document.querySelectorAll('a[href]')) {
    if (!/^(?:https?|mailto|ftp):/i.test(link.getAttribute('href') ?? '')) link.removeAttribute('href');
  }
  const text = [turndown(document.body).trim(), ...definitions].filter((part) => part !== '').join('\n\n');
  const label =
    isHeaded || head.label === null || text === '' ? '' : `${'#'.repeat(head.top)} ${escapeInline(head.label)}\n\n`;
  return label + text;
}

function typesOf(element: DomElement | null): string {
  return `${element?.getAttribute('epub:type') ?? ''} ${element?.getAttribute('role') ?? ''}`;
}

function isContents(document: DomDocument): boolean {
  const first = document.querySelector('body > *');
  return [document.body, first].some((element) =>
    /(?:^|\s)(?:toc|doc-toc|landmarks|page-list)(?:\s|$)/.test(typesOf(element)),
  );
}

/** References to notes of the same file in books that do not declare `epub:type` for notes. */
const ownReferences = 'a.footnote-reference, a.footnote-ref, a.footnote, a.noteref, sup a[href*="#"], a[href*="#"] sup';
const mark = /^[[(]?(?:\d{1,4}|[*†‡§]{1,3})[\])]?$/;
const longestNote = 4_000;

/** Numbers these references and returns the notes. */
function numberOwnNotes(document: DomDocument, notes: BookNotes): Map<DomElement, number> {
  const own = new Map<DomElement, number>();
  const marks = Array.from(document.querySelectorAll(ownReferences));
  if (marks.length === 0) return own;
  const byId = new Map<string, DomElement>();
  for (const element of document.querySelectorAll('[id]')) byId.set(element.getAttribute('id') ?? '', element);
  for (const found of marks) {
    const link = found.localName === 'a' ? found : found.closest('a');
    const [, fragment] = /#(.+)$/.exec(link?.getAttribute('href') ?? '') ?? [];
    const note = noteOf(byId.get(fragment ?? ''));
    if (link === null || note === null || /noteref/.test(typesOf(link)) || note.contains(link)) continue;
    // Skips the link from a note back to its reference.
    if (!mark.test((link.textContent ?? '').trim()) || isWithin(own, link)) continue;
    const number = own.get(note) ?? notes.numbers.size + 1;
    own.set(note, number);
    notes.numbers.set(`own ${number}`, number);
    replaceMark(link, number, document);
  }
  return own;
}

/** The block that contains the target of a reference; in a definition list, the definition. */
function noteOf(target: DomElement | undefined): DomElement | null {
  const block = target?.closest('aside, li, p, dd, dt, div') ?? null;
  const note = block?.localName === 'dt' ? block.nextElementSibling : block;
  return (note?.textContent?.length ?? longestNote) < longestNote ? note : null;
}

function isWithin(elements: ReadonlyMap<DomElement, number>, node: DomElement): boolean {
  for (let at = node.parentElement; at !== null; at = at.parentElement) if (elements.has(at)) return true;
  return false;
}

function replaceMark(link: DomElement, number: number, document: DomDocument): void {
  const around = link.parentElement?.localName === 'sup' ? link.parentElement : link;
  const reference = document.createElement('footnote-ref');
  reference.append(document.createTextNode(String(number)));
  around.replaceWith(reference);
}

function markReferences(document: DomDocument, path: string, notes: BookNotes): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href') ?? '';
    if (!/noteref/.test(typesOf(link)) || !href.includes('#')) continue;
    const key = keyOf(href, path);
    const number = notes.numbers.get(key) ?? notes.numbers.size + 1;
    notes.numbers.set(key, number);
    replaceMark(link, number, document);
  }
}

function keyOf(href: string, path: string): string {
  const file = href.startsWith('#') ? path : pathIn(posix.dirname(path), href);
  return `${file}#${href.slice(href.indexOf('#') + 1)}`;
}

/** Removes the referenced notes from the page. */
function extractNotes(
  document: DomDocument,
  path: string,
  notes: BookNotes,
  own: ReadonlyMap<DomElement, number>,
): string[] {
  const definitions: string[] = [];
  for (const element of document.querySelectorAll('aside, li, p, dd, div, section[id]')) {
    const number = own.get(element) ?? notes.numbers.get(`${path}#${element.getAttribute('id') ?? ''}`);
    if (number === undefined) continue;
    for (const link of element.querySelectorAll('a[href]')) {
      if (/backlink/.test(typesOf(link)) || /^(?:[\s\d[\]().*†‡§↩↑^]|\uFE0E)*$/.test(link.textContent ?? ''))
        link.remove();
    }
    const text = turndown(element)
      .trim()
      .replace(/^(?:\d+\\?)?[.)]?\s+/, '');
    if (text !== '') definitions.push(`[^${number}]: ${text.replace(/\n(?=.)/g, '\n    ')}`);
    if (element.previousElementSibling?.localName === 'dt') element.previousElementSibling.remove();
    element.remove();
  }
  return definitions;
}
