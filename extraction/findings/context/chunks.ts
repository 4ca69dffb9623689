/** Chunks: pieces of a document that are small enough to search and quote, cut along its headings and blocks. */
import type { Chunk } from '../../../contract/extraction.ts';
import type { LineIndex } from '../../markdown/lines.ts';
import { headingPaths, type OutlineEntry } from './outline.ts';
import { countTokens } from './tokens.ts';
import type { Unit } from './units.ts';

/** Tokens that a chunk is filled up to. */
export const targetTokens = 512;
/** Tokens that no chunk exceeds; a block up to this size is never cut. */
export const maxTokens = 1024;
/** A chunk below this takes the next section too, even one beside it. */
const smallTokens = 128;

/**
 * The chunks of a document in order, packed from units of at most `maxTokens`. Together they hold every character of it but the white space between them and
 * its front matter; `markdown.slice(position.start, position.end) === text`. A chunk never mixes a section with one
 * that stands above it in the outline.
 */
export function chunksOf(markdown: string, units: readonly Unit[], outline: OutlineEntry[], lines: LineIndex): Chunk[] {
  const chunks: Chunk[] = [];
  const pathAt = headingPaths(outline);
  for (const group of pack(units)) {
    const source = markdown.slice(group.start, group.end);
    const text = source.trim();
    if (text === '') continue;
    const start = group.start + (source.length - source.trimStart().length);
    chunks.push({
      index: chunks.length,
      headings: pathAt(start),
      text,
      tokens: countTokens(text),
      position: lines.position(start, start + text.length),
    });
  }
  return chunks;
}

type Group = { start: number; end: number; tokens: number; headingsOnly: boolean; depth: number };

function pack(units: readonly Unit[]): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  for (const unit of units) {
    if (group !== undefined && belongs(group, unit)) {
      group.end = unit.end;
      group.tokens += unit.tokens;
      group.headingsOnly &&= unit.heading !== null;
      group.depth = Math.min(group.depth, unit.heading ?? group.depth);
      continue;
    }
    group = {
      start: unit.start,
      end: unit.end,
      tokens: unit.tokens,
      headingsOnly: unit.heading !== null,
      // What stands before the first heading of a group takes any heading below as its equal.
      depth: unit.heading ?? 7,
    };
    groups.push(group);
  }
  return groups;
}

function belongs(group: Group, unit: Unit): boolean {
  const together = group.tokens + unit.tokens;
  // A heading is not left behind by a large block that it introduces.
  if (group.headingsOnly && (unit.heading === null || unit.heading > group.depth)) return together <= maxTokens;
  if (together > targetTokens) return false;
  if (unit.heading === null || unit.heading > group.depth) return true;
  return unit.heading === group.depth && group.tokens < smallTokens;
}
