/** Images -> kind, size and metadata. The picture itself is not analysed. */
import { SourceError } from '../../../contract/errors.ts';
import type { Reading } from '../../content.ts';
import { factsToMarkdown } from '../images/facts.ts';
import { imageMetadata } from '../images/metadata.ts';
import type { BinaryFormat } from './format.ts';

/** Display names of the image types of image-size. */
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
  emptyMessage: 'The image has no metadata.',
  read: ({ bytes, filename }) => imageToMarkdown(bytes, filename),
};

/** @throws SourceError `file_damaged` where the image's size cannot be read */
async function imageToMarkdown(bytes: Uint8Array, filename: string | null): Promise<Reading> {
  const { type, width, height } = await sizeOf(bytes);
  const { place, takenAt, author, title, ...metadata } = await imageMetadata(bytes);
  const facts = factsToMarkdown(title, [
    ['Kind', kinds[type] ?? type.toUpperCase()],
    ['Size', `${width} × ${height} pixels`],
    ['File', filename?.split(/[\\/]/).at(-1) ?? null],
    ['Description', metadata.description],
    ['Date', takenAt?.replace('T', ' ') ?? null],
    ['Author', author],
    ['Copyright', metadata.copyright],
    ['Keywords', metadata.keywords],
    ['Camera', metadata.camera],
    ['Lens', metadata.lens],
    ['Exposure', metadata.exposure],
    ['Place', place === null ? null : `${degrees(place.latitude)}, ${degrees(place.longitude)} (latitude, longitude)`],
    ['Software', metadata.software],
  ]);
  return {
    markdown: facts,
    title,
    languageHint: null,
    about: { author, publishedAt: takenAt },
    warnings: [{ code: 'image_not_read', message: 'Only the metadata of the image was read, not the picture itself.' }],
  };
}

async function sizeOf(bytes: Uint8Array): Promise<{ type: string; width: number; height: number }> {
  const { imageSize } = await import('image-size');
  try {
    const { type = '', width, height, orientation = 1 } = imageSize(bytes);
    // Orientations 5 to 8 are rotated by 90 degrees when displayed.
    return orientation >= 5 ? { type, width: height, height: width } : { type, width, height };
  } catch (cause) {
    throw new SourceError('file_damaged', 'The image is damaged or incomplete: its size cannot be read.', { cause });
  }
}

function degrees(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}
