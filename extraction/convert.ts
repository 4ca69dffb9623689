/** Content of any supported format -> Markdown. */
import { SourceError } from '../contract/errors.ts';
import type { ReadingWarning } from '../contract/extraction.ts';
import type { Content, Converted, Reading } from './content.ts';
import { detectFormat } from './detection/detect.ts';
import { assertWithin, type Limits } from './limits.ts';
import type { TextSample } from './readers/formats/format.ts';
import { parserOf } from './readers/parser.ts';

/**
 * Detects the format of the content and reads it. The Markdown ends with a line break.
 * @throws SourceError `content_empty`, `unsupported_format`, `file_encrypted`, `file_damaged`, `extraction_limit`
 */
export async function convertToMarkdown(content: Content, limits: Limits): Promise<Converted> {
  if (content.bytes.length === 0) throw new SourceError('content_empty', 'The content is empty.');
  const detected = await detectFormat(content);
  if (detected.kind === 'text' && detected.sample.text.trim() === '') {
    throw new SourceError('content_empty', 'The content contains only white space.');
  }
  const reading =
    detected.kind === 'binary'
      ? await detected.format.read(content, limits)
      : await detected.format.read(detected.sample, limits);
  const { name, parser, emptyMessage } = detected.format;
  if (reading.markdown.trim() === '') throw new SourceError('content_empty', emptyMessage);
  const converted = completeReading(reading, limits);
  const isDecodedHere = detected.kind === 'text' && detected.format.decodesItself !== true;
  const warnings = [...(isDecodedHere ? encodingWarnings(detected.sample) : []), ...converted.warnings];
  return { format: name, parser: parserOf(parser), ...converted, warnings };
}

/** A warning where the encoding was guessed: a wrong guess gives wrong letters. */
function encodingWarnings({ encoding }: TextSample): ReadingWarning[] {
  if (!encoding.guessed) return [];
  const message = `The text declares no encoding and was read as ${encoding.label}. Send UTF-8 if it looks wrong.`;
  return [{ code: 'encoding_guessed', message }];
}

/** The reading with all fields set and storable in PostgreSQL. Offsets into the Markdown stay valid. */
function completeReading(reading: Reading, limits: Limits): Omit<Converted, 'format' | 'parser'> {
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

/** Replaces NUL and lone surrogates, which PostgreSQL cannot store; escapes in JSON and HTML can produce both. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
