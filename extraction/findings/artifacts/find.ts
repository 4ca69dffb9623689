/** An artifact as its kind's finder sees it, before hashes and ordinals. */
import type { Nodes } from 'mdast';
import type { ExtractedArtifact } from '../../../contract/extraction.ts';
import { cutText } from '../../cut-text.ts';

export type Found = Pick<ExtractedArtifact, 'kind' | 'title' | 'content' | 'language' | 'metadata'> & {
  /** What two equal artifacts have in common: the content without what does not matter. */
  normalised: string;
  start: number;
  end: number;
};

/** What a finder needs to know of the place where a node stands. */
export type Place = {
  /** Markdown source of the node. */
  source: string;
  start: number;
  end: number;
  /** Titles of the headings above, outermost first. */
  headings: string[];
  /** URLs of the document's link definitions by their identifier. */
  definitions: Map<string, string>;
};

/** Returns what the node is an artifact of, or null. */
export type Finder = (node: Nodes, place: Place) => Found | null;

const maxTitleCodePoints = 120;

/** A title on one line, at most 120 characters. */
export function titleFrom(text: string): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), maxTitleCodePoints);
}

/** Text without what an editor changes silently: Unicode form, trailing white space, blank lines around. */
export function normaliseText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');
}
