/** State while a slide or its notes are read. */

import type { Limits } from '../../../limits.ts';
import type { LeftOut } from '../../document/left-out.ts';
import type { XmlElement } from '../../xml/parse.ts';
import type { Relationships } from '../package.ts';

export interface SlidePart {
  relationships: Relationships;
  /** Charts and diagrams by relationship id. */
  drawings: ReadonlyMap<string, XmlElement>;
  /** Root elements of the slide's layout and master, nearest first. */
  models: readonly XmlElement[];
  leftOut: LeftOut;
  limits: Limits;
  /** Cells of all tables so far. */
  counted: { cells: number };
}
