/** Blocks of Markdown -> the artifacts in them. */
import { createHash } from 'node:crypto';
import type { RootContent } from 'mdast';
import type { ExtractedArtifact } from '../../../contract/extraction.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { nodesOf, spanOf } from '../../markdown/nodes.ts';
import { parseMarkdown } from '../../markdown/parse.ts';
import { headingPaths } from '../context/outline.ts';
import type { Markdown } from '../document.ts';
import { findCode } from './code.ts';
import type { Finder, Found } from './find.ts';
import { findLink } from './links.ts';
import { findTable, goOnWithTable } from './tables.ts';

const finders: Finder[] = [findCode, findTable, findLink];

export interface ArtifactsBuilder {
  /** Adds the artifacts in the next block of the document. @throws SourceError `extraction_limit` for too many */
  add(block: RootContent): void;
  /**
   * Returns code blocks, tables and links in order of position. Equal ones (same kind and normalised content) differ
   * in their ordinal.
   */
  finish(): ExtractedArtifact[];
}

export function artifactsBuilder({ text, lines, outline }: Markdown, limits: Limits): ArtifactsBuilder {
  const definitions = definitionsOf(text);
  const pathAt = headingPaths(outline);
  const found: Found[] = [];
  return {
    add(block) {
      const headings = pathAt(spanOf(block).start);
      for (const node of nodesOf(block)) {
        const { start, end } = spanOf(node);
        const place = { source: text.slice(start, end), start, end, headings, definitions };
        if (node.type === 'table' && node.data?.continued) {
          goOnWithTable(
            found.findLast(({ kind }) => kind === 'table'),
            node,
            place,
          );
          continue;
        }
        for (const finder of finders) {
          const artifact = finder(node, place);
          if (artifact !== null) found.push(artifact);
        }
        assertWithin(limits, 'artifacts', found.length);
      }
    },
    finish() {
      const ordinals = new Map<string, number>();
      return found.map(({ normalised, start, end, ...artifact }) => {
        const contentHash = createHash('sha256').update(normalised).digest('hex');
        const identity = `${artifact.kind} ${contentHash}`;
        const ordinal = ordinals.get(identity) ?? 0;
        ordinals.set(identity, ordinal + 1);
        return { ...artifact, position: lines.position(start, end), contentHash, ordinal };
      });
    },
  };
}

/** URLs by identifier. The first definition counts (CommonMark 4.7), and it may stand behind what refers to it. */
function definitionsOf(markdown: string): Map<string, string> {
  const definitions = new Map<string, string>();
  if (!markdown.includes(']:')) return definitions;
  for (const node of parseMarkdown(markdown, { inline: true }).flatMap(nodesOf)) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
  }
  return definitions;
}
