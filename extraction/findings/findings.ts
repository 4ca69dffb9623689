/** Markdown -> context and artifacts, in one parse. */

import { SourceError } from '../../contract/errors.ts';
import type { ExtractedArtifact, ExtractedContext } from '../../contract/extraction.ts';
import { assertWithin, type Limits } from '../limits.ts';
import { indexLines } from '../markdown/lines.ts';
import { parseMarkdown } from '../markdown/parse.ts';
import { artifactsBuilder } from './artifacts/artifacts-builder.ts';
import { contextBuilder } from './context/context-builder.ts';
import { outlineEntryOf } from './context/outline.ts';
import type { Document, Markdown } from './document.ts';

export interface Findings {
  context: Omit<ExtractedContext, 'reading'>;
  /** Null where they exceed a limit. */
  artifacts: ExtractedArtifact[] | null;
}

/** @throws SourceError `extraction_limit` for a text that is too long */
export function findingsOf(document: Document, limits: Limits): Findings {
  const markdown = start(document.markdown, limits);
  const context = contextBuilder(markdown);
  const artifacts = artifactsBuilder(markdown, limits);
  let tooMany = false;
  for (const block of blocksOf(markdown)) {
    context.add(block);
    if (!tooMany) tooMany = exceedsLimit(() => artifacts.add(block));
  }
  return { context: context.finish(document), artifacts: tooMany ? null : artifacts.finish() };
}

/**
 * The artifacts alone, for a document whose context is not extracted.
 * @throws SourceError `extraction_limit` for a text that is too long, or has too many
 */
export function artifactsOf(text: string, limits: Limits): ExtractedArtifact[] {
  const markdown = start(text, limits);
  const artifacts = artifactsBuilder(markdown, limits);
  for (const block of blocksOf(markdown)) artifacts.add(block);
  return artifacts.finish();
}

function start(text: string, limits: Limits): Markdown {
  assertWithin(limits, 'characters', text.length);
  return { text, lines: indexLines(text), outline: [] };
}

/**
 * The blocks, each after its heading was added to the outline. The tree of a long document takes a hundred times its
 * length, so no block is kept.
 */
function* blocksOf({ text, lines, outline }: Markdown) {
  for (const block of parseMarkdown(text, { inline: true })) {
    const entry = outlineEntryOf(block, lines);
    if (entry !== null) outline.push(entry);
    yield block;
  }
}

function exceedsLimit(add: () => void): boolean {
  try {
    add();
    return false;
  } catch (error) {
    if (error instanceof SourceError && error.code === 'extraction_limit') return true;
    throw error;
  }
}
