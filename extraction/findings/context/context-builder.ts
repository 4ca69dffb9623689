/** Blocks of Markdown -> context: what a reader or a model needs to find its way in a document. */
import type { RootContent } from 'mdast';
import type { ExtractedContext } from '../../../contract/extraction.ts';
import type { LineIndex } from '../../markdown/lines.ts';
import type { Document, Markdown } from '../document.ts';
import { placeChunks } from './chunk-places.ts';
import { chunksOf, maxTokens, trailingHeadingTokens } from './chunks.ts';
import { languageOf } from './language.ts';
import { proseOf } from './prose.ts';
import { statisticsOf } from './statistics.ts';
import { titleOf } from './title.ts';
import { type Unit, unitCutter } from './units.ts';

export interface ContextBuilder {
  /** Adds the next block of the document. */
  add(block: RootContent): void;
  /**
   * Returns title, language, outline, statistics, chunks, turns and parts; every position counts UTF-16 code units of
   * the Markdown. How it was read is the caller's to tell.
   */
  finish(document: Document): Omit<ExtractedContext, 'reading'>;
}

export function contextBuilder({ text, lines, outline }: Markdown): ContextBuilder {
  const cut = unitCutter(text, lines);
  const units: Unit[] = [];
  const prose: string[] = [];
  return {
    add(block) {
      // With the headings above it, the block has to fit into a chunk.
      const room = Math.max(maxTokens - trailingHeadingTokens(units), maxTokens / 2);
      for (const unit of cut(block, room)) units.push(unit);
      for (const passage of proseOf(block)) prose.push(passage);
    },
    finish({ format, about, parts, turns, title, languageHint }) {
      const chunks = chunksOf(text, units, outline, lines);
      const language = languageOf(prose, languageHint);
      const partPositions = positionsFrom(parts?.starts ?? [], text, lines);
      const turnPositions = positionsFrom(
        turns.map(({ start }) => start),
        text,
        lines,
      );
      const places = {
        turns: turns.flatMap(({ role, speaker }, at) => {
          const position = turnPositions[at];
          return position === undefined ? [] : [{ role, speaker, position }];
        }),
        parts: partPositions.map((position, at) => ({ number: at + 1, position })),
      };
      return {
        title: titleOf(title, outline),
        language,
        format,
        about,
        outline,
        statistics: statisticsOf(text, prose, language, chunks.length),
        chunks: placeChunks(chunks, places),
        ...places,
      };
    },
  };
}

/** From each start to the next, the last one to the end. */
function positionsFrom(starts: readonly number[], markdown: string, lines: LineIndex) {
  return starts.map((start, at) => lines.position(start, starts[at + 1] ?? markdown.length));
}
