/** State while a part of a Word document (its body, a note) is read. */

import type { Limits } from '../../../limits.ts';
import type { Block } from '../../document/blocks.ts';
import type { LeftOut } from '../../document/left-out.ts';
import type { XmlElement } from '../../xml/parse.ts';
import type { Relationships } from '../package.ts';
import type { Numbering } from './numbering.ts';
import type { Styles } from './styles.ts';

export interface Field {
  instruction: string;
  /** True after the instruction, where the result of the field follows. */
  shows: boolean;
}

export interface WordPart {
  styles: Styles;
  numbering: Numbering;
  relationships: Relationships;
  /** Charts and diagrams by relationship id. */
  drawings: ReadonlyMap<string, XmlElement>;
  leftOut: LeftOut;
  limits: Limits;
  /** Cells of all tables so far. */
  counted: { cells: number };
  /** Open fields, outermost first; they may span paragraphs. */
  fields: Field[];
  /** The label of a referenced note. */
  noteLabel(kind: 'footnote' | 'endnote', id: string): string | null;
  /** The blocks of a text box, table cell or note. */
  readBlocks(container: XmlElement, part: WordPart): Block[];
}
