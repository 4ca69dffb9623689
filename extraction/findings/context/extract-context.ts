/** Markdown -> context: what a reader or a model needs to find its way in a document. */
import type { ExtractedContext } from '../../../contract/extraction.ts';
import type { Converted } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { indexLines, type LineIndex } from '../../markdown/lines.ts';
import { parseMarkdown } from '../../markdown/parse.ts';
import { chunksOf, maxTokens } from './chunks.ts';
import { languageOf } from './language.ts';
import { type OutlineEntry, outlineEntryOf } from './outline.ts';
import { proseOf } from './prose.ts';
import { statisticsOf } from './statistics.ts';
import { titleOf } from './title.ts';
import { type Unit, unitsOf } from './units.ts';

/** What reading made, or the joined Markdown of a composition. */
export type Document = Omit<Converted, 'format'> & { format: ExtractedContext['format'] };

/**
 * Title, language, outline, statistics, chunks, turns and parts of a document; every position counts UTF-16 code units
 * of its Markdown. How it was read is the caller's to tell. @throws SourceError `extraction_limit` when it is too long
 */
export function extractContext(document: Document, limits: Limits): Omit<ExtractedContext, 'reading'> {
  const { markdown, format, about, parts, turns } = document;
  assertWithin(limits, 'characters', markdown.length);
  const lines = indexLines(markdown);
  const outline: OutlineEntry[] = [];
  const units: Unit[] = [];
  const prose: string[] = [];
  // The tree of a long document takes a hundred times its length: each block is forgotten once it has said its part.
  for (const block of parseMarkdown(markdown, { inline: false })) {
    const entry = outlineEntryOf(markdown, block, lines);
    if (entry !== null) outline.push(entry);
    for (const unit of unitsOf(markdown, block, lines, maxTokens)) units.push(unit);
    for (const text of proseOf(block)) prose.push(text);
  }
  const chunks = chunksOf(markdown, units, outline, lines);
  const language = languageOf(prose, document.languageHint);
  const partPositions = positionsFrom(parts?.starts ?? [], markdown, lines);
  const turnPositions = positionsFrom(
    turns.map(({ start }) => start),
    markdown,
    lines,
  );
  return {
    title: titleOf(document.title, outline),
    language,
    format,
    about,
    outline,
    statistics: statisticsOf(markdown, prose, language, chunks.length),
    chunks,
    turns: turns.flatMap(({ role, speaker }, at) => {
      const position = turnPositions[at];
      return position === undefined ? [] : [{ role, speaker, position }];
    }),
    parts: partPositions.map((position, at) => ({ number: at + 1, position })),
  };
}

/** From each start to the next, the last one to the end. */
function positionsFrom(starts: readonly number[], markdown: string, lines: LineIndex) {
  return starts.map((start, at) => lines.position(start, starts[at + 1] ?? markdown.length));
}
