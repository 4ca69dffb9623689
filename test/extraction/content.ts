/** Content as callers of extraction hand it over. */
import type { Content } from '../../extraction/content.ts';

/** Content of a text (as UTF-8) or of bytes, of which nothing else is known but what is given. */
export function contentOf(data: string | Uint8Array, known: Partial<Omit<Content, 'bytes'>> = {}): Content {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  return { bytes, contentType: null, filename: null, url: null, ...known };
}
