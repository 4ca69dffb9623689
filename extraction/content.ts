/** What extraction takes in, and what reading makes of it. */
import type { ContentFormat, DocumentAbout, PartUnit, ReadingWarning, TurnRole } from '../contract/extraction.ts';

/** A source's content with all that is known of it; nothing but `bytes` is trusted. */
export interface Content {
  bytes: Uint8Array;
  /** Declared media type with its parameters, as HTTP or the upload gave it. */
  contentType: string | null;
  filename: string | null;
  /** Address that the content was read from: relative links are resolved against it. */
  url: string | null;
  /** Somebody typed or pasted it: UTF-8 text, whatever its bytes look like. */
  pasted?: boolean;
}

/** A turn of a conversation, by where its heading begins in the Markdown (UTF-16 code units). */
export interface TurnStart {
  role: TurnRole;
  speaker: string;
  start: number;
}

/** Pages, slides, sheets: where each begins in the Markdown, in order (UTF-16 code units). */
export interface Parts {
  unit: PartUnit;
  starts: number[];
}

/** What a format's reader makes of content. */
export interface Reading {
  /** Line ends are "\n". */
  markdown: string;
  /** Title that the format itself names; null where only a heading could tell. */
  title: string | null;
  /** BCP 47 tag that the document gives itself. */
  languageHint: string | null;
  /** What the document says of itself beyond that; what is missing is null. */
  about?: Partial<DocumentAbout>;
  parts?: Parts;
  /** Of a conversation. */
  turns?: TurnStart[];
  /** What was left out or guessed, and why. */
  warnings?: ReadingWarning[];
}

/** A reading with everything said, as the rest of extraction takes it. */
export interface Converted extends Required<Omit<Reading, 'parts' | 'about'>> {
  format: ContentFormat;
  /** Name and version of what read it, like "mammoth 1.13.0". */
  parser: string;
  about: DocumentAbout;
  parts: Parts | null;
}
