/** Metadata of images: EXIF, IPTC and XMP. */
import { z } from 'zod';

export interface ImageMetadata {
  title: string | null;
  description: string | null;
  author: string | null;
  copyright: string | null;
  keywords: string | null;
  camera: string | null;
  lens: string | null;
  exposure: string | null;
  software: string | null;
  /** Local time of the camera without an offset: "2024-05-06T07:08:09". */
  takenAt: string | null;
  /** Decimal degrees, north and east. */
  place: { latitude: number; longitude: number } | null;
}

/** A value or `{lang, value}`, alone or in a list, as in XMP. */
const textual = z
  .union([
    z.string(),
    z.looseObject({ value: z.string() }),
    z.array(z.union([z.string(), z.looseObject({ value: z.string() })])),
    z.number(),
  ])
  .optional()
  .catch(undefined);
type Textual = z.infer<typeof textual>;
const numeric = z.number().optional().catch(undefined);

const tagsSchema = z.looseObject({
  title: textual,
  ObjectName: textual,
  Headline: textual,
  description: textual,
  ImageDescription: textual,
  Caption: textual,
  UserComment: textual,
  creator: textual,
  Artist: textual,
  Byline: textual,
  rights: textual,
  Copyright: textual,
  CopyrightNotice: textual,
  subject: textual,
  Keywords: textual,
  Make: textual,
  Model: textual,
  LensModel: textual,
  Software: textual,
  CreatorTool: textual,
  DateTimeOriginal: textual,
  CreateDate: textual,
  DateCreated: textual,
  ModifyDate: textual,
  ExposureTime: numeric,
  FNumber: numeric,
  ISO: numeric,
  FocalLength: numeric,
  latitude: numeric,
  longitude: numeric,
});

/** The metadata of an image; null for missing fields. Damaged metadata is ignored. */
export async function imageMetadata(bytes: Uint8Array): Promise<ImageMetadata> {
  const tags = tagsSchema.parse(await tagsOf(bytes));
  const first = (...values: Textual[]) => values.map(textOf).find((text) => text !== null) ?? null;
  const make = first(tags.Make);
  const model = first(tags.Model);
  const { latitude, longitude } = tags;
  return {
    title: first(tags.title, tags.ObjectName, tags.Headline),
    description: first(tags.description, tags.Caption, tags.ImageDescription, tags.UserComment),
    author: first(tags.creator, tags.Byline, tags.Artist),
    copyright: first(tags.rights, tags.CopyrightNotice, tags.Copyright),
    keywords: first(tags.subject, tags.Keywords),
    camera:
      make !== null && model !== null && !model.toLowerCase().startsWith(make.toLowerCase())
        ? `${make} ${model}`
        : (model ?? make),
    lens: first(tags.LensModel),
    exposure: exposureOf(tags),
    software: first(tags.Software, tags.CreatorTool),
    takenAt: dateOf(first(tags.DateTimeOriginal, tags.CreateDate, tags.DateCreated, tags.ModifyDate)),
    place:
      latitude !== undefined && longitude !== undefined && Number.isFinite(latitude + longitude)
        ? { latitude, longitude }
        : null,
  };
}

async function tagsOf(bytes: Uint8Array): Promise<unknown> {
  const { default: exifr } = await import('exifr');
  try {
    // Dates stay strings: as Date they would depend on the server's time zone.
    const options = { tiff: true, xmp: true, iptc: true, icc: false, jfif: false, ihdr: false, reviveValues: false };
    return (await exifr.parse(Buffer.from(exifOfWebp(bytes) ?? bytes), options)) ?? {};
  } catch {
    return {};
  }
}

/** The EXIF chunk of a WebP file, which is in TIFF format; null for other files. */
function exifOfWebp(bytes: Uint8Array): Uint8Array | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') return null;
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    if (file.toString('latin1', at, at + 4) === 'EXIF') {
      const chunk = file.subarray(at + 8, at + 8 + size);
      return chunk.toString('latin1', 0, 4) === 'Exif' ? chunk.subarray(6) : chunk;
    }
    at += 8 + size + (size % 2);
  }
  return null;
}

function textOf(value: Textual): string | null {
  const list = Array.isArray(value) ? value : [value];
  const texts = list.map((entry) =>
    typeof entry === 'object' ? entry.value : entry === undefined ? '' : String(entry),
  );
  const text = texts
    .map((entry) => entry.replaceAll('\0', '').replace(/\s+/g, ' ').trim())
    .filter((entry) => entry !== '')
    .join(', ');
  return text === '' ? null : text;
}

function exposureOf({
  ExposureTime: time,
  FNumber: aperture,
  ISO: iso,
  FocalLength: focal,
}: z.infer<typeof tagsSchema>): string | null {
  const parts = [
    time === undefined || time <= 0 ? null : time < 1 ? `1/${Math.round(1 / time)} s` : `${time} s`,
    aperture === undefined ? null : `f/${aperture}`,
    iso === undefined ? null : `ISO ${iso}`,
    focal === undefined ? null : `${Math.round(focal * 10) / 10} mm`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

/** "2024:05:06 07:08:09" or ISO 8601 -> ISO 8601; null for other text. */
function dateOf(text: string | null): string | null {
  const found = /^(\d{4})[:-](\d{2})[:-](\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?/.exec(
    text ?? '',
  );
  if (found === null || found[1] === '0000') return null;
  const day = `${found[1]}-${found[2]}-${found[3]}`;
  return found[4] === undefined ? day : `${day}T${found[4]}${found[5] ?? ''}`;
}
