/** The interface of every format: how it is detected and how it is read. */
import type { ContentFormat } from '../../../contract/extraction.ts';
import type { Content, Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';

interface FormatBase {
  name: ContentFormat;
  /** Name for messages: "a Word document". */
  label: string;
  /** Its media types, in lower case and without parameters. */
  mediaTypes: readonly string[];
  /** Its file name extensions, in lower case and without the dot. */
  extensions: readonly string[];
  /** Name in package.json of the package that parses it; null for a parser of this project. */
  parser: string | null;
  /** Message for a document without text: "The PDF has no text; ..." */
  emptyMessage: string;
}

/** A binary format, which file-type detects by its first bytes. */
export interface BinaryFormat extends FormatBase {
  kind: 'binary';
  /** Media types that file-type reports for it. */
  magic: readonly string[];
  /** True for content of this format, where file-type cannot detect it reliably. */
  matches?(content: Content): boolean;
  /** @throws SourceError for content that cannot be read */
  read(content: Content, limits: Limits): Promise<Reading>;
}

/** Decoded text content. */
export interface TextSample extends Content {
  /** The whole text: decoded, without a byte order mark, with "\n" as line break. */
  text: string;
  /** Encoding of the bytes; `guessed` where it was inferred from the characters alone. */
  encoding: { label: string; guessed: boolean };
  /** The value where the whole text is JSON (for JSON lines an array), else undefined; parsed once. */
  json(): unknown;
  /** The local name of the root element of XML, else null. */
  xmlRoot(): string | null;
}

/** A format of text. */
export interface TextFormat extends FormatBase {
  kind: 'text';
  /**
   * `sure`: the text is of this format, whatever its file name and media type. `likely`: it is where neither a file
   * name
   * nor a media type declares another format. A format without this function is detected only by name and type.
   */
  detect?(sample: TextSample): 'sure' | 'likely' | null;
  /**
   * The reader decodes the bytes itself, since parts have different encodings; no encoding is reported for the whole.
   */
  decodesItself?: true;
  /** More specific formats that are tried first, in this order. */
  subformats?: readonly TextFormat[];
  /** @throws SourceError for content that cannot be read */
  read(sample: TextSample, limits: Limits): Reading | Promise<Reading>;
}

export type Format = BinaryFormat | TextFormat;
