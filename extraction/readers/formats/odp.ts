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
  emptiness: 'The presentation has no text; it may hold only images.',
  // The type stands in any place where a program packed the file anew.
  matches: ({ bytes }) => openDocumentKind(bytes) === 'odp',
  read: ({ bytes }, limits) => readPresentation(bytes, limits),
};
