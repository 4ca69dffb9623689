/** One chapter of an EPUB -> Markdown. */
import { posix } from 'node:path';
import type { DomDocument, DomElement } from '../html/dom.ts';
import { fragmentDocument } from '../html/fragment.ts';
import { turndown } from '../html/markdown.ts';
import type { Limits } from '../limits.ts';
import { pathIn } from './package.ts';

/** Notes of a book: the numbers of those that are referred to, by file and id, and those that are written already. */
export interface BookNotes {
  numbers: Map<string, number>;
  imagesWithoutText: number;
}

/** Letters that no text has stand for a reference until the text is Markdown. */
const noteMark = '\uE0F0';

const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** The chapter with its notes as definitions behind it; empty for a page of pictures or a table of contents. */
export function chapterToMarkdown(source: string, path: string, notes: BookNotes, limits: Limits): string {
  // Readers of HTML take "<a id='x'/>" for the beginning of an element.
  const html = source.replace(/<([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi, (tag, name: string, rest: string) =>
    voidElements.test(name) ? tag : `<${name}${rest}></${name}>`,
  );
  const document = fragmentDocument(html, null, limits);
  if (isContents(document)) return '';
  markReferences(document, path, notes);
  const definitions = takeNotes(document, path, notes);
  for (const image of document.querySelectorAll('img')) {
    if ((image.getAttribute('alt') ?? '').trim() === '') notes.imagesWithoutText += 1;
  }
  for (const link of document.querySelectorAll('a[href]')) {
    if (!/^(?:https?|mailto|ftp):/i.test(link.getAttribute('href') ?? '')) link.removeAttribute('href');
  }
  return [turndown(document.body).trim(), ...definitions]
    .filter((text) => text !== '')
    .join('\n\n')
    .replace(new RegExp(`${noteMark}(\\d+)${noteMark}`, 'g'), '[^$1]');
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

function markReferences(document: DomDocument, path: string, notes: BookNotes): void {
  for (const link of document.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href') ?? '';
    if (!/noteref/.test(typesOf(link)) || !href.includes('#')) continue;
    const key = keyOf(href, path);
    const number = notes.numbers.get(key) ?? notes.numbers.size + 1;
    notes.numbers.set(key, number);
    const around = link.parentElement?.localName === 'sup' ? link.parentElement : link;
    around.replaceWith(document.createTextNode(`${noteMark}${number}${noteMark}`));
  }
}

function keyOf(href: string, path: string): string {
  const file = href.startsWith('#') ? path : pathIn(posix.dirname(path), href);
  return `${file}#${href.slice(href.indexOf('#') + 1)}`;
}

/** Takes the notes that something refers to out of the page. */
function takeNotes(document: DomDocument, path: string, notes: BookNotes): string[] {
  const definitions: string[] = [];
  for (const element of document.querySelectorAll('aside[id], li[id], div[id], p[id], section[id]')) {
    const number = notes.numbers.get(`${path}#${element.getAttribute('id') ?? ''}`);
    if (number === undefined) continue;
    for (const link of element.querySelectorAll('a[href]')) {
      if (/backlink/.test(typesOf(link)) || /^(?:\s|↩|↑|\^|\uFE0E)*$/.test(link.textContent ?? '')) link.remove();
    }
    const text = turndown(element)
      .trim()
      .replace(/^\d+[.)]?\\?[.)]?\s+/, '');
    if (text !== '') definitions.push(`[^${number}]: ${text.replace(/\n(?=.)/g, '\n    ')}`);
    element.remove();
  }
  return definitions;
}
