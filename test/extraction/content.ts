/** Makes content for extraction and reads it. */
import type { Content, Reading } from '../../extraction/content.ts';
import { textSample } from '../../extraction/detection/text-sample.ts';
import type { Document } from '../../extraction/findings/document.ts';
import { defaultLimits, type Limits } from '../../extraction/limits.ts';
import type { Format } from '../../extraction/readers/formats/format.ts';

type Known = Partial<Omit<Content, 'bytes'>>;

/** Returns content of a text (as UTF-8) or of bytes, with only the given metadata. */
export function contentOf(data: string | Uint8Array, known: Known = {}): Content {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  return { bytes, contentType: null, filename: null, url: null, ...known };
}

/** Reads content with a format, without detection. */
export async function readAs(
  format: Format,
  data: string | Uint8Array,
  known: Known & { limits?: Partial<Limits> } = {},
): Promise<Reading> {
  const { limits, ...rest } = known;
  const content = contentOf(data, rest);
  const all = { ...defaultLimits, ...limits };
  return format.kind === 'binary' ? format.read(content, all) : format.read(textSample(content), all);
}

/** Returns a document of this Markdown with default metadata. */
export function documentOf(markdown: string, overrides: Partial<Document> = {}): Document {
  return {
    ...{ markdown, format: 'markdown', parser: 'none', title: null, languageHint: null, parts: null },
    ...{ turns: [], warnings: [], about: { author: null, publishedAt: null, siteName: null, canonicalUrl: null } },
    ...overrides,
  };
}
