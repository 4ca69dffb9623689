/** State while an OpenDocument text or slide is read. */

import type { Limits } from '../../limits.ts';
import type { Block, Inline, Note } from '../document/blocks.ts';
import type { LeftOut } from '../document/left-out.ts';
import type { XmlElement } from '../xml/parse.ts';
import type { Styles } from './styles.ts';

export interface Part {
  styles: Styles;
  objects: ReadonlyMap<string, XmlElement>;
  leftOut: LeftOut;
  limits: Limits;
  /** Cells of all tables so far. */
  counted: { cells: number };
  /** Numbers of the headings so far, outermost first. */
  outline: number[];
  /** The last numbers of each list style, for lists that continue. */
  lists: Map<string, number[]>;
  notes: Note[];
  readBlocks(container: XmlElement, part: Part): Block[];
}

/** A paragraph's content, and the blocks that are anchored in it: text boxes, charts. */
export interface ParagraphContent {
  inlines: Inline[];
  anchored: Block[];
}
