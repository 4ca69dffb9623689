/** Rich Text Format -> Markdown. */
import { SourceError } from '../../../contract/errors.ts';
import type { Content, Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { writeDocument } from '../document/write.ts';
import { readRtf } from '../rtf/read.ts';
import type { BinaryFormat } from './format.ts';

export const rtf: BinaryFormat = {
  kind: 'binary',
  name: 'rtf',
  label: 'an RTF document',
  mediaTypes: ['application/rtf', 'text/rtf', 'application/x-rtf', 'text/richtext'],
  extensions: ['rtf'],
  magic: ['application/rtf'],
  parser: null,
  emptyMessage: 'The document has no text; it may hold only images.',
  read: async (content, limits) => rtfToMarkdown(content, limits),
};

function rtfToMarkdown({ bytes }: Content, limits: Limits): Reading {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (!/^\s*\{\\rtf/.test(source.slice(0, 1000))) {
    throw new SourceError('file_damaged', 'The file is named as an RTF document, but its content is not RTF.');
  }
  const { blocks, notes, title, author, createdAt, warnings } = readRtf(source, limits);
  const { markdown, starts } = writeDocument(blocks, notes);
  const reading = { markdown, title, languageHint: null, about: { author, publishedAt: createdAt }, warnings };
  return starts === null ? reading : { ...reading, parts: { unit: 'page', starts } };
}
