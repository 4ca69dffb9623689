/** The shape that every format has: how it is recognised, and how it is read. */
import type { ContentFormat } from '../../../contract/extraction.ts';
import type { Content, Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';

interface FormatBase {
  name: ContentFormat;
  /** What people call such content, in the words of a message: "a Word document". */
  label: string;
  /** Media types that mean it, in lower case and without parameters. */
  mediaTypes: readonly string[];
  /** Endings of file names that mean it, in lower case and without the dot. */
  extensions: readonly string[];
  /** The package that reads it, by its name in package.json; null for code of our own. */
  parser: string | null;
  /** What is said when nothing comes out: "The PDF has no text; ..." */
  emptiness: string;
}

/** A format of bytes that file-type knows by their first ones. */
export interface BinaryFormat extends FormatBase {
  kind: 'binary';
  /** What file-type calls it. */
  magic: readonly string[];
  /** For what file-type does not tell apart, or not surely: whether these bytes are of this format. */
  matches?(content: Content): boolean;
  /** @throws SourceError for content that cannot be read, with the code that says why */
  read(content: Content, limits: Limits): Promise<Reading>;
}

/** A text that is to be recognised or read. */
export interface TextSample extends Content {
  /** The whole text: decoded, without a byte order mark, its lines ending with "\n". */
  text: string;
  /** What the bytes were decoded as; `guessed` where only their looks told. */
  encoding: { label: string; guessed: boolean };
  /** The value where the whole text is JSON (or JSON lines, then an array), else undefined; parsed once. */
  json(): unknown;
  /** The local name of the root element where the text begins as XML does, else null. */
  xmlRoot(): string | null;
}

/** A format of text. */
export interface TextFormat extends FormatBase {
  kind: 'text';
  /**
   * `sure`: the text says so itself, whatever its name and declared type. `likely`: it counts where neither a name nor
   * a type tells. Absent: only they tell.
   */
  looks?(sample: TextSample): 'sure' | 'likely' | null;
  /** Its bytes are read, not the text: they hold texts in encodings of their own, so none is told of the whole. */
  decodesItself?: true;
  /** More special formats that a text of this one may be, asked in this order. */
  special?: readonly TextFormat[];
  /** @throws SourceError for content that cannot be read, with the code that says why */
  read(sample: TextSample, limits: Limits): Reading | Promise<Reading>;
}

export type Format = BinaryFormat | TextFormat;
