/** Markdown -> the artifacts in it. */
import { createHash } from 'node:crypto';
import type { Nodes, RootContent } from 'mdast';
import type { ExtractedArtifact } from '../../contract/extraction.ts';
import { headingPaths, outlineOf } from '../context/outline.ts';
import { assertWithin, type Limits } from '../limits.ts';
import { indexLines } from '../markdown/lines.ts';
import { parseMarkdown, spanOf } from '../markdown/parse.ts';
import { findCode } from './code.ts';
import type { Finder, Found } from './find.ts';
import { findLink } from './links.ts';
import { findTable } from './tables.ts';

const finders: Finder[] = [findCode, findTable, findLink];

/**
 * Code blocks, tables and links in order of position. Equal ones (same kind and normalised content) are told apart by
 * their ordinal. Throws SourceError `extraction_limit` when there are too many.
 */
export function extractArtifacts(markdown: string, limits: Limits): ExtractedArtifact[] {
  assertWithin(limits, 'characters', markdown.length);
  const lines = indexLines(markdown);
  const blocks = parseMarkdown(markdown, { inline: true });
  const found = findAll(markdown, blocks, headingPaths(outlineOf(markdown, blocks, lines)), limits);
  const ordinals = new Map<string, number>();
  return found.map(({ normalised, start, end, ...artifact }) => {
    const contentHash = createHash('sha256').update(normalised).digest('hex');
    const identity = `${artifact.kind} ${contentHash}`;
    const ordinal = ordinals.get(identity) ?? 0;
    ordinals.set(identity, ordinal + 1);
    return { ...artifact, position: lines.position(start, end), contentHash, ordinal };
  });
}

function findAll(
  markdown: string,
  blocks: RootContent[],
  pathAt: (offset: number) => string[],
  limits: Limits,
): Found[] {
  const definitions = definitionsOf(blocks);
  const found: Found[] = [];
  for (const block of blocks) {
    const headings = pathAt(spanOf(block).start);
    for (const node of nodesOf(block)) {
      const { start, end } = spanOf(node);
      const place = { source: markdown.slice(start, end), start, end, headings, definitions };
      for (const finder of finders) {
        const artifact = finder(node, place);
        if (artifact !== null) found.push(artifact);
      }
      assertWithin(limits, 'artifacts', found.length);
    }
  }
  return found;
}

/** The node and all below it, in order of position. */
function* nodesOf(root: Nodes): Generator<Nodes> {
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    if ('children' in node) pending.push(...node.children.toReversed());
  }
}

/** The first definition of an identifier counts (CommonMark 4.7). */
function definitionsOf(blocks: RootContent[]): Map<string, string> {
  const definitions = new Map<string, string>();
  for (const block of blocks) {
    for (const node of nodesOf(block)) {
      if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
    }
  }
  return definitions;
}
