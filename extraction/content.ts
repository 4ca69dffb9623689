/** What extraction takes in and what each format makes of it. */
import type { ContextSummary } from '../contract/extraction.ts';

/** A source's content with all that is known of it; nothing but `bytes` is trusted. */
export type Content = {
  bytes: Uint8Array;
  /** Declared media type with its parameters, as HTTP or the upload gave it. */
  contentType: string | null;
  filename: string | null;
  /** Address that the content was read from: relative links are resolved against it. */
  url: string | null;
  /** Somebody typed or pasted it: UTF-8 text, whatever its bytes look like. */
  pasted?: boolean;
};

export type ConvertedFormat = Exclude<ContextSummary['format'], 'composition'>;

export type Converted = {
  format: ConvertedFormat;
  /** Line ends are "\n"; ends with one. */
  markdown: string;
  /** Title that the format itself names; null where only a heading could tell. */
  title: string | null;
  /** BCP 47 tag that the document gives itself. */
  languageHint: string | null;
};

/** A format's part of the result: all but its name. */
export type FormatResult = Omit<Converted, 'format'>;
