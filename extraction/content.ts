/** Input of extraction, and the result of a reader. */
import type { ContentFormat, DocumentAbout, PartUnit, ReadingWarning, TurnRole } from '../contract/extraction.ts';

/** A source's content with its metadata. Only `bytes` is trusted. */
export interface Content {
  bytes: Uint8Array;
  /** Declared media type with its parameters, from the HTTP response or the upload. */
  contentType: string | null;
  filename: string | null;
  /** URL that the content was fetched from; relative links are resolved against it. */
  url: string | null;
  /** True for text that was typed or pasted: always UTF-8 text, also where its bytes look like another format. */
  pasted?: boolean;
}

/** A turn of a conversation; `start` is the offset of its heading in the Markdown (UTF-16 code units). */
export interface TurnStart {
  role: TurnRole;
  speaker: string;
  start: number;
}

/** Pages, slides or sheets: their offsets in the Markdown, in order (UTF-16 code units). */
export interface Parts {
  unit: PartUnit;
  starts: number[];
}

/** Result of a format's reader. */
export interface Reading {
  /** With "\n" as line break. */
  markdown: string;
  /** Title from the document's metadata; null where the document has none (a heading is not used here). */
  title: string | null;
  /** BCP 47 tag that the document declares. */
  languageHint: string | null;
  /** Further metadata of the document; a missing field counts as null. */
  about?: Partial<DocumentAbout>;
  parts?: Parts;
  /** Only for conversations. */
  turns?: TurnStart[];
  /** Content that was left out or guessed, with the reason. */
  warnings?: ReadingWarning[];
}

/** A reading with all fields set. */
export interface Converted extends Required<Omit<Reading, 'parts' | 'about'>> {
  format: ContentFormat;
  /** Name and version of the parser, such as "mammoth 1.13.0". */
  parser: string;
  about: DocumentAbout;
  parts: Parts | null;
}
