/** Word documents (DOCX) -> Markdown. */
import { containerKind } from '../../detection/containers/kind.ts';
import { isEncryptedPackage } from '../ooxml/package.ts';
import { readWord } from '../ooxml/word/read.ts';
import type { BinaryFormat } from './format.ts';

const documents = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const mediaTypes = [
  `${documents}.document`,
  `${documents}.template`,
  'application/vnd.ms-word.document.macroenabled.12',
  'application/vnd.ms-word.template.macroenabled.12',
];

export const docx: BinaryFormat = {
  kind: 'binary',
  name: 'docx',
  label: 'a Word document',
  mediaTypes,
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  magic: mediaTypes,
  parser: null,
  emptyMessage: 'The document has no text; it may hold only images.',
  // Encryption hides the kind of Office document; the error is the same for each.
  matches: ({ bytes }) => isEncryptedPackage(bytes) || containerKind(bytes) === 'docx',
  read: ({ bytes }, limits) => readWord(bytes, limits),
};
