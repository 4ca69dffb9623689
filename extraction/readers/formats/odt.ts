/** OpenDocument texts (ODT) -> Markdown. */
import { openDocumentKind } from '../opendocument/package.ts';
import { readText } from '../opendocument/text.ts';
import type { BinaryFormat } from './format.ts';

const mediaTypes = ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text-template'];

export const odt: BinaryFormat = {
  kind: 'binary',
  name: 'odt',
  label: 'an OpenDocument text',
  mediaTypes,
  extensions: ['odt', 'ott', 'fodt'],
  magic: mediaTypes,
  parser: null,
  emptyMessage: 'The document has no text; it may hold only images.',
  // Repacked files have `mimetype` in any place, where file-type may not find it.
  matches: ({ bytes }) => openDocumentKind(bytes) === 'odt',
  read: ({ bytes }, limits) => readText(bytes, limits),
};
