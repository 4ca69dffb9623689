/** Markdown -> context: what a reader or a model needs to find its way in a document. */
import type { ContextSummary, ExtractedContext } from '../../contract/extraction.ts';
import { assertMarkdownLength } from '../limits.ts';
import { indexLines } from '../markdown/lines.ts';
import { parseMarkdown } from '../markdown/parse.ts';
import { chunksOf } from './chunks.ts';
import { languageOf } from './language.ts';
import { outlineOf } from './outline.ts';
import { proseOf } from './prose.ts';
import { statisticsOf } from './statistics.ts';
import { titleOf } from './title.ts';

export type ContextOptions = {
  format: ContextSummary['format'];
  /** Title that the format itself names, or null: then the first heading counts. */
  title: string | null;
  /** BCP 47 tag that the document gives itself, or null. */
  languageHint: string | null;
};

/**
 * Title, language, outline, statistics and chunks of a Markdown text; every position counts UTF-16 code units of that
 * text. Throws SourceError `extraction_limit` when it is too long.
 */
export function extractContext(markdown: string, options: ContextOptions): ExtractedContext {
  const lines = indexLines(assertMarkdownLength(markdown));
  const blocks = parseMarkdown(markdown, { inline: false });
  const outline = outlineOf(markdown, blocks, lines);
  const chunks = chunksOf(markdown, blocks, outline, lines);
  const prose = proseOf(blocks);
  const language = languageOf(prose, options.languageHint);
  return {
    title: titleOf(options.title, outline),
    language,
    format: options.format,
    outline,
    statistics: statisticsOf(markdown, prose, language, chunks.length),
    chunks,
  };
}
