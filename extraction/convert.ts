/** Content of any readable format -> Markdown. */
import { SourceError } from '../contract/errors.ts';
import type { ReadingWarning } from '../contract/extraction.ts';
import type { Content, Converted, Reading } from './content.ts';
import { detectFormat } from './detection/detect.ts';
import { assertWithin, type Limits } from './limits.ts';
import type { TextSample } from './readers/formats/format.ts';
import { parserOf } from './readers/parser.ts';

/**
 * Reads content as what it is and returns its Markdown, which ends with a line break. @throws SourceError
 * `content_empty`, `unsupported_format`, `file_encrypted`, `file_damaged`, `extraction_limit`
 */
export async function convertToMarkdown(content: Content, limits: Limits): Promise<Converted> {
  if (content.bytes.length === 0) throw new SourceError('content_empty', 'The content has no bytes.');
  const detected = await detectFormat(content);
  if (detected.kind === 'text' && detected.sample.text.trim() === '') {
    throw new SourceError('content_empty', 'The content is nothing but white space.');
  }
  const reading =
    detected.kind === 'binary'
      ? await detected.format.read(content, limits)
      : await detected.format.read(detected.sample, limits);
  const { name, parser, emptiness } = detected.format;
  if (reading.markdown.trim() === '') throw new SourceError('content_empty', emptiness);
  const converted = whole(reading, limits);
  const guess = detected.kind === 'text' && detected.format.decodesItself !== true ? guessOf(detected.sample) : [];
  return { format: name, parser: parserOf(parser), ...converted, warnings: [...guess, ...converted.warnings] };
}

/** A wrong encoding shows as wrong letters, so who reads them has to know. */
function guessOf({ encoding }: TextSample): ReadingWarning[] {
  if (!encoding.guessed) return [];
  const message = `The text does not say how it is encoded; it was read as ${encoding.label}.`;
  return [{ code: 'encoding_guessed', message }];
}

/** The reading with everything said, as a database and a reader of Markdown can take it. No character moves. */
function whole(reading: Reading, limits: Limits): Omit<Converted, 'format' | 'parser'> {
  const { title, languageHint, about, parts = null, turns = [], warnings = [] } = reading;
  const markdown = `${storable(reading.markdown).trimEnd()}\n`;
  assertWithin(limits, 'characters', markdown.length);
  return {
    markdown,
    title: storableOrNull(title),
    languageHint,
    about: {
      author: storableOrNull(about?.author),
      publishedAt: about?.publishedAt ?? null,
      siteName: storableOrNull(about?.siteName),
      canonicalUrl: storableOrNull(about?.canonicalUrl),
    },
    parts,
    turns,
    warnings,
  };
}

function storableOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined || text.trim() === '' ? null : storable(text);
}

/** Escapes of JSON and character references of HTML can write what no UTF-8 text in a database may hold. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
