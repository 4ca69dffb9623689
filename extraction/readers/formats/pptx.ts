/** Presentations (PPTX) -> Markdown. */
import { containerKind } from '../../detection/containers/kind.ts';
import { readSlides } from '../ooxml/slides/read.ts';
import type { BinaryFormat } from './format.ts';

const presentations = 'application/vnd.openxmlformats-officedocument.presentationml';
const mediaTypes = [
  `${presentations}.presentation`,
  `${presentations}.slideshow`,
  `${presentations}.template`,
  'application/vnd.ms-powerpoint.presentation.macroenabled.12',
  'application/vnd.ms-powerpoint.slideshow.macroenabled.12',
  'application/vnd.ms-powerpoint.template.macroenabled.12',
];

export const pptx: BinaryFormat = {
  kind: 'binary',
  name: 'pptx',
  label: 'a presentation',
  mediaTypes,
  extensions: ['pptx', 'pptm', 'ppsx', 'ppsm', 'potx', 'potm'],
  magic: mediaTypes,
  parser: null,
  emptyMessage: 'The presentation has no text; it may hold only images.',
  matches: ({ bytes }) => containerKind(bytes) === 'pptx',
  read: ({ bytes }, limits) => readSlides(bytes, limits),
};
