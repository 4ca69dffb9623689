/** Images -> what they say of themselves: kind, size and metadata. What they show is not read. */
import { SourceError } from '../../../contract/errors.ts';
import type { Reading } from '../../content.ts';
import { factsToMarkdown } from '../images/facts.ts';
import { imageMetadata } from '../images/metadata.ts';
import type { BinaryFormat } from './format.ts';

/** What image-size calls the kinds, as people do. */
const kinds: Readonly<Record<string, string>> = {
  png: 'PNG',
  jpg: 'JPEG',
  gif: 'GIF',
  webp: 'WebP',
  tiff: 'TIFF',
  bmp: 'BMP',
  heif: 'HEIF',
  avif: 'AVIF',
  heic: 'HEIC',
  ico: 'icon',
};

const mediaTypes = [
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/bmp',
  'image/avif',
  'image/heic',
  'image/heif',
];

export const image: BinaryFormat = {
  kind: 'binary',
  name: 'image',
  label: 'an image',
  mediaTypes,
  extensions: ['png', 'apng', 'jpg', 'jpeg', 'gif', 'webp', 'tif', 'tiff', 'bmp', 'avif', 'heic', 'heif'],
  magic: [...mediaTypes, 'image/heif-sequence', 'image/heic-sequence'],
  parser: 'image-size',
  emptiness: 'The image says nothing of itself.',
  read: ({ bytes, filename }) => imageToMarkdown(bytes, filename),
};

/** @throws SourceError `file_damaged` where not even its size can be read */
async function imageToMarkdown(bytes: Uint8Array, filename: string | null): Promise<Reading> {
  const { type, width, height } = await sizeOf(bytes);
  const { place, takenAt, author, title, ...told } = await imageMetadata(bytes);
  const facts = factsToMarkdown(title, [
    ['Kind', kinds[type] ?? type.toUpperCase()],
    ['Size', `${width} × ${height} pixels`],
    ['File', filename?.split(/[\\/]/).at(-1) ?? null],
    ['Description', told.description],
    ['Date', takenAt?.replace('T', ' ') ?? null],
    ['Author', author],
    ['Copyright', told.copyright],
    ['Keywords', told.keywords],
    ['Camera', told.camera],
    ['Lens', told.lens],
    ['Exposure', told.exposure],
    ['Place', place === null ? null : `${degrees(place.latitude)}, ${degrees(place.longitude)} (latitude, longitude)`],
    ['Software', told.software],
  ]);
  return {
    markdown: facts,
    title,
    languageHint: null,
    about: { author, publishedAt: takenAt },
    warnings: [
      { code: 'image_not_read', message: 'What the image shows was not read: only what its file says of it.' },
    ],
  };
}

async function sizeOf(bytes: Uint8Array): Promise<{ type: string; width: number; height: number }> {
  const { imageSize } = await import('image-size');
  try {
    const { type = '', width, height, orientation = 1 } = imageSize(bytes);
    // The camera was held upright: what viewers show is turned.
    return orientation >= 5 ? { type, width: height, height: width } : { type, width, height };
  } catch (cause) {
    throw new SourceError('file_damaged', 'The image is damaged or incomplete: its size cannot be read.', { cause });
  }
}

function degrees(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}
