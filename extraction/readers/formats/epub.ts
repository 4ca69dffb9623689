/** EPUB books -> Markdown, chapters in reading order. */

import type { Content, Reading } from '../../content.ts';
import { containerKind } from '../../detection/containers/kind.ts';
import { openContainer } from '../../detection/containers/zip.ts';
import { charsetOfHtml, decodeText } from '../../detection/encoding/decode.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { escapeInline } from '../../markdown/write.ts';
import { type BookNotes, chapterToMarkdown } from '../epub/chapter.ts';
import { readPackage } from '../epub/package.ts';
import type { BinaryFormat } from './format.ts';

export const epub: BinaryFormat = {
  kind: 'binary',
  name: 'epub',
  label: 'an EPUB book',
  mediaTypes: ['application/epub+zip'],
  extensions: ['epub'],
  magic: ['application/epub+zip'],
  parser: null,
  emptyMessage: 'The book has no text; it may hold only images.',
  matches: ({ bytes }) => containerKind(bytes) === 'epub',
  read: readEpub,
};

async function readEpub({ bytes }: Content, limits: Limits): Promise<Reading> {
  const container = await openContainer(bytes, limits);
  const book = await readPackage(container, limits);
  assertWithin(limits, 'pages', book.chapters.length);
  const notes: BookNotes = { numbers: new Map(), imagesWithoutText: 0 };
  let markdown = book.title === null ? '' : `# ${escapeInline(book.title)}`;
  const starts: number[] = [];
  let missing = 0;
  for (const path of book.chapters) {
    const source = await container.bytes(path);
    if (source === null) {
      missing += 1;
      continue;
    }
    const { text: html } = decodeText(source, charsetOfHtml(source));
    const head = { top: book.title === null ? 1 : 2, label: book.labels.get(path) ?? null };
    const chapter = chapterToMarkdown(html, path, { head, notes, limits });
    if (chapter === '') continue;
    if (starts.length === 0 && isTitlePage(chapter, book.title)) continue;
    markdown += markdown === '' ? '' : '\n\n';
    starts.push(markdown.length);
    markdown += chapter;
    assertWithin(limits, 'characters', markdown.length);
  }
  const { title, author, language, publishedAt } = book;
  return {
    markdown: starts.length === 0 ? '' : markdown,
    title,
    languageHint: language,
    about: { author, publishedAt },
    parts: { unit: 'chapter', starts },
    warnings: warningsOf(missing, notes.imagesWithoutText),
  };
}

/** True for a page with only the title, which is already above it. */
function isTitlePage(chapter: string, title: string | null): boolean {
  return title !== null && chapter.replace(/^#+ /, '').trim() === escapeInline(title);
}

function warningsOf(missing: number, images: number): Reading['warnings'] {
  const counts: [number, string, string][] = [
    [
      missing,
      'missing_parts',
      `Missing in the file: ${missing} ${missing === 1 ? 'chapter' : 'chapters'} of the book.`,
    ],
    [images, 'images_without_text', `Left out: ${images} ${images === 1 ? 'image' : 'images'} without a description.`],
  ];
  return counts.filter(([count]) => count > 0).map(([, code, message]) => ({ code, message }));
}
