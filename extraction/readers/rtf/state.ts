/** State of a group and of a paragraph of an RTF document. */
import type { Block, Inline, Mark } from '../document/blocks.ts';
import { type CountCells, OpenTables } from './tables.ts';

/** Destination of text: `text` the document, `capture` a value that is evaluated at the group's end, `skip` none. */
export type Destination = 'text' | 'skip' | 'capture';

export interface Field {
  href: string | null;
  /** A table of contents or an index. */
  isContents: boolean;
}

/** A picture or a shape, whose properties come after it or within it. */
export interface Drawing {
  hasPicture: boolean;
  /** The name of the property whose value comes next. */
  property: string;
  alt: string;
}

export interface GroupState {
  destination: Destination;
  /** The destination's control word where text is captured. */
  name: string;
  font: number | null;
  marks: ReadonlySet<Mark>;
  hidden: boolean;
  /** Text whose deletion is tracked. */
  deleted: boolean;
  script: 'super' | 'sub' | null;
  /** Bytes or characters that follow each \u for readers without Unicode. */
  unicodeSkip: number;
  field: Field | null;
  drawing: Drawing | null;
  /** True for the group of an outermost picture or shape, which ends with it. */
  opensDrawing: boolean;
  /** True for the group of a footnote's text, which ends with it. */
  opensNote: boolean;
}

export interface ParagraphState {
  style: number | null;
  outline: number | null;
  /** Number of nested tables that contain the paragraph. */
  depth: number;
  listLevel: number;
}

export interface Style {
  level: number | null;
  isTitle: boolean;
}

/** The flow of a document or of one of its notes. */
export interface Flow {
  blocks: Block[];
  content: Inline[];
  /** Bullet or number that the writer put before the paragraph. */
  listText: string | null;
  tables: OpenTables;
}

export const newFlow = (countCells: CountCells): Flow => ({
  blocks: [],
  content: [],
  listText: null,
  tables: new OpenTables(countCells),
});

export const plainGroup: GroupState = {
  destination: 'text',
  name: '',
  font: null,
  marks: new Set<Mark>(),
  hidden: false,
  deleted: false,
  script: null,
  unicodeSkip: 1,
  field: null,
  drawing: null,
  opensDrawing: false,
  opensNote: false,
};

export const plainParagraph: ParagraphState = { style: null, outline: null, depth: 0, listLevel: 0 };
