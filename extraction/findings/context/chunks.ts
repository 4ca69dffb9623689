/** Chunks: pieces of a document that are small enough to search and quote, cut along its headings and blocks. */
import type { Chunk } from '../../../contract/extraction.ts';
import type { LineIndex } from '../../markdown/lines.ts';
import { headingPaths, type OutlineEntry } from './outline.ts';
import { countTokens } from './tokens.ts';
import type { Unit } from './units.ts';

/** Tokens that a chunk is filled up to. */
export const targetTokens = 512;
/** Tokens that no chunk exceeds; a block up to this size, less its heading, is never cut. */
export const maxTokens = 2 * targetTokens;
/** A chunk below this takes the next section too, even one beside it. */
const smallTokens = 128;
/** A chunk below this is joined with one beside it, wherever that fits. */
const tinyTokens = 64;
/** Tokens of the white space between two units, at most. */
const gapTokens = 2;

/** What a chunk is packed of, in order. */
export type PackedChunk = Omit<Chunk, 'parts' | 'speakers'>;

/**
 * Packs units of at most `maxTokens` into the chunks of a document, in order. Together they hold every character of it
 * but the white space between them and its front matter; `markdown.slice(position.start, position.end) === text`. A
 * heading stands in the chunk of what follows it. No chunk that is large enough by itself mixes a section with one
 * above it in the outline.
 */
export function chunksOf(
  markdown: string,
  units: readonly Unit[],
  outline: OutlineEntry[],
  lines: LineIndex,
): PackedChunk[] {
  const chunks: PackedChunk[] = [];
  const pathAt = headingPaths(outline);
  for (const { units: packed } of joinTiny(markdown, pack(units))) {
    const [first, last] = [packed[0], packed.at(-1)];
    if (first === undefined || last === undefined) continue;
    const source = markdown.slice(first.start, last.end);
    const text = source.trim();
    if (text === '') continue;
    const start = first.start + (source.length - source.trimStart().length);
    const opening = first.opening?.text ?? null;
    const kinds = new Set(packed.map(({ kind }) => kind));
    if (kinds.size > 1) kinds.delete('heading');
    chunks.push({
      index: chunks.length,
      headings: pathAt(start),
      opening,
      text,
      tokens: countTokens(opening === null ? text : `${opening}\n${text}`),
      kinds: [...kinds],
      position: lines.position(start, start + text.length),
    });
  }
  return chunks;
}

/** Tokens of the headings at the end, which the next block shares a chunk with. */
export function trailingHeadingTokens(units: readonly Unit[]): number {
  let tokens = 0;
  for (let at = units.length - 1; at >= 0 && units[at]?.heading != null; at -= 1) {
    tokens += (units[at]?.tokens ?? 0) + gapTokens;
  }
  return tokens;
}

class Group {
  readonly units: Unit[] = [];
  tokens = 0;
  /** Of its highest heading. What stands before the first heading takes any heading below as its equal. */
  depth = 7;

  constructor(units: readonly Unit[]) {
    for (const unit of units) this.add(unit);
  }

  get hasHeadingsAlone(): boolean {
    return this.units.every(({ heading }) => heading !== null);
  }

  add(unit: Unit): void {
    this.tokens += unit.tokens + (this.units.length === 0 ? (unit.opening?.tokens ?? 0) : this.gapBefore(unit));
    this.depth = Math.min(this.depth, unit.heading ?? 7);
    this.units.push(unit);
  }

  /** Removes the headings at its end and returns them. */
  takeHeadings(): Unit[] {
    const from = this.units.findLastIndex(({ heading }) => heading === null) + 1;
    const taken = this.units.splice(from);
    for (const { tokens } of taken) this.tokens -= tokens + gapTokens;
    return taken;
  }

  /** Tokens between its end and the unit: rows and lines follow each other directly. */
  gapBefore(unit: Unit): number {
    return unit.start === this.units.at(-1)?.end ? 0 : gapTokens;
  }

  accepts(unit: Unit): boolean {
    const together = this.tokens + this.gapBefore(unit) + unit.tokens;
    // A heading is not parted from a large block that it introduces.
    if (this.hasHeadingsAlone && (unit.heading === null || unit.heading > this.depth)) return together <= maxTokens;
    if (together > targetTokens) return false;
    if (unit.heading === null || unit.heading > this.depth) return true;
    return unit.heading === this.depth && this.tokens < smallTokens;
  }
}

function pack(units: readonly Unit[]): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  for (const unit of units) {
    if (group?.accepts(unit)) {
      group.add(unit);
      continue;
    }
    const headings =
      unit.heading === null && group !== undefined && !group.hasHeadingsAlone ? group.takeHeadings() : [];
    group = new Group([...headings, unit]);
    groups.push(group);
  }
  return groups;
}

/** Joins each tiny group with the next one where that is below it in the outline, else rather with the one before. */
function joinTiny(markdown: string, groups: readonly Group[]): Group[] {
  const joined: Group[] = [];
  let waiting: Group | undefined;
  for (const [at, one] of groups.entries()) {
    const group: Group = waiting === undefined ? one : new Group([...waiting.units, ...one.units]);
    waiting = undefined;
    const [before, next] = [joined.at(-1), groups[at + 1]];
    if (!isTiny(markdown, group)) joined.push(group);
    else if (fits(group, next) && (isBelow(next, group) || !fits(before, group))) waiting = group;
    else if (fits(before, group)) for (const unit of group.units) before?.add(unit);
    else joined.push(group);
  }
  return joined;
}

/** The sum over its units is an upper bound, which for words and sentences is up to several times the text's tokens. */
function isTiny(markdown: string, { tokens, units }: Group): boolean {
  if (tokens < tinyTokens) return true;
  if (tokens >= 8 * tinyTokens) return false;
  return countTokens(markdown.slice(units[0]?.start, units.at(-1)?.end).trim()) < tinyTokens;
}

function fits(one: Group | undefined, other: Group | undefined): boolean {
  return one !== undefined && other !== undefined && one.tokens + gapTokens + other.tokens <= maxTokens;
}

/** Whether a group goes on in the same section, or with one below it. */
function isBelow(group: Group | undefined, above: Group): boolean {
  return (group?.units[0]?.heading ?? 7) > above.depth;
}
