/** OpenDocument presentations (ODP) -> Markdown. */
import { openDocumentKind } from '../opendocument/package.ts';
import { readPresentation } from '../opendocument/slides.ts';
import type { BinaryFormat } from './format.ts';

const mediaTypes = [
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.oasis.opendocument.presentation-template',
];

export const odp: BinaryFormat = {
  kind: 'binary',
  name: 'odp',
  label: 'an OpenDocument presentation',
  mediaTypes,
  extensions: ['odp', 'otp', 'fodp'],
  magic: mediaTypes,
  parser: null,
  emptyMessage: 'The presentation has no text; it may hold only images.',
  // Repacked files have `mimetype` in any place, where file-type may not find it.
  matches: ({ bytes }) => openDocumentKind(bytes) === 'odp',
  read: ({ bytes }, limits) => readPresentation(bytes, limits),
};
