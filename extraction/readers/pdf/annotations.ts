/** Annotations with text: text typed onto a page, and comments of reviewers. */
import type { DocumentAnnotation, ParsedPage } from '@llamaindex/liteparse';
import type { ReadingWarning } from '../../../contract/extraction.ts';
import { createLeftOut } from '../document/left-out.ts';
import type { Line } from './lines.ts';

/** Kinds of annotations whose contents are comments (ISO 32000-1, 12.5.6). */
const remarks = /^(?:text|highlight|underline|squiggly|strikeout|caret|ink|stamp|line|square|circle|polygon|polyline)$/;

const hasContents = ({ contents }: DocumentAnnotation) => contents !== undefined && contents.trim() !== '';

/** Text that was typed onto the page, as lines. */
export function typedLines({ annotations = [] }: Pick<ParsedPage, 'annotations'>): Line[] {
  return annotations.filter(hasContents).flatMap(({ subtype, contents = '', rect }) => {
    if (subtype !== 'freetext' || rect === undefined) return [];
    const text = contents.replace(/\s+/g, ' ').trim();
    return [{ text, box: rect, items: [{ ...rect, text }] }];
  });
}

/** A warning with the number of comments, which are left out of the text. */
export function remarkWarnings(pages: readonly Pick<ParsedPage, 'annotations'>[]): ReadingWarning[] {
  const leftOut = createLeftOut();
  for (const { annotations = [] } of pages) {
    leftOut.add('comments', annotations.filter((one) => hasContents(one) && remarks.test(one.subtype)).length);
  }
  return leftOut.warnings();
}
