/** Content as callers of extraction hand it over, and short ways to read it. */
import type { Content, Reading } from '../../extraction/content.ts';
import { textSample } from '../../extraction/detection/text-sample.ts';
import type { Document } from '../../extraction/findings/context/extract-context.ts';
import { defaultLimits, type Limits } from '../../extraction/limits.ts';
import type { Format } from '../../extraction/readers/formats/format.ts';

type Known = Partial<Omit<Content, 'bytes'>>;

/** Content of a text (as UTF-8) or of bytes, of which nothing else is known but what is given. */
export function contentOf(data: string | Uint8Array, known: Known = {}): Content {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  return { bytes, contentType: null, filename: null, url: null, ...known };
}

/** What a format makes of content that was found to be of it. */
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

/** A document of Markdown alone. */
export function documentOf(markdown: string, told: Partial<Document> = {}): Document {
  return {
    ...{ markdown, format: 'markdown', parser: 'none', title: null, languageHint: null, parts: null },
    ...{ turns: [], warnings: [], about: { author: null, publishedAt: null, siteName: null, canonicalUrl: null } },
    ...told,
  };
}
