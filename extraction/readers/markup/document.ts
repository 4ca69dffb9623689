/** An XML document of any vocabulary -> Markdown. */
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { descendantsOf, elementsOf, parseXml, type XmlElement } from '../xml/parse.ts';
import { blocksOf } from './blocks.ts';
import type { Writing } from './inline.ts';
import { localName } from './names.ts';
import { lineOf } from './records.ts';

/** @throws SourceError as `parseXml` */
export function documentToMarkdown(text: string, limits: Limits): Reading {
  const root = parseXml(text, limits, { allowsDoctype: true });
  const writing: Writing = { footnotes: [], pictures: 0 };
  const blocks = blocksOf(root, 1, writing);
  const title = titleOf(root);
  // A title in the document's head was written as a field, not as a heading.
  const isShown =
    title === null ||
    blocks.some((block) => /^#{1,2} /.test(block) && withoutMarks(block).includes(withoutMarks(title)));
  const notes = writing.footnotes.map((note, index) => `[^${index + 1}]: ${note}`);
  const all = isShown ? blocks : [`# ${title}`, ...blocks.map((block) => block.replace(/^(#{1,5}) /, '#$1 '))];
  return {
    markdown: [...all, notes.join('\n')].filter((block) => block !== '').join('\n\n'),
    title,
    languageHint: root.attributes['xml:lang'] ?? root.attributes.lang ?? null,
    warnings:
      writing.pictures === 0
        ? []
        : [
            {
              code: 'images_left_out',
              message: `Left out: ${writing.pictures} images, of which the document only has file names.`,
            },
          ],
  };
}

/** The title from the root element or its head; titles of deeper elements are not the document's. */
function titleOf(root: XmlElement): string | null {
  const isTitle = (element: XmlElement) => /^(?:title|head|article-title|titleproper)$/.test(localName(element.name));
  const own = elementsOf(root).find(isTitle);
  const heads = elementsOf(root).filter(({ name }) =>
    /(?:info|[hH]eader|front|prolog|metadata)$/.test(localName(name)),
  );
  const inHead = heads.flatMap((head) => ['title', 'article-title'].flatMap((name) => descendantsOf(head, name)))[0];
  const text = own === undefined ? (inHead === undefined ? '' : lineOf(inHead)) : lineOf(own);
  return text === '' || text.length > 300 ? null : text;
}

function withoutMarks(text: string): string {
  return text.replace(/[*`_\\]/g, '');
}
