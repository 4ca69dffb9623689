/** The lines of a page, built from adjacent text runs. */
import type { ParsedPage, TextItem } from '@llamaindex/liteparse';

/** Points (1/72 inch), from the page's upper left corner. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Line {
  /** Words separated by one space. */
  text: string;
  box: Box;
  /** From left to right. */
  items: readonly TextItem[];
}

/** Lines from top to bottom, each across all columns, without rotated text. */
export function linesOf(page: Pick<ParsedPage, 'textItems'>): Line[] {
  const lines: TextItem[][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  const items = page.textItems.filter(({ text, rotation = 0 }) => text.trim() !== '' && Math.abs(rotation) < 1);
  for (const item of items.toSorted((a, b) => middle(a) - middle(b))) {
    if (lines.length > 0 && middle(item) < bottom) {
      lines.at(-1)?.push(item);
    } else {
      lines.push([item]);
      bottom = middle(item) + item.height * 0.45;
    }
  }
  return lines.map((line) => lineOf(line.toSorted((a, b) => a.x - b.x)));
}

const middle = ({ y, height }: Box) => y + height / 2;

function lineOf(items: readonly TextItem[]): Line {
  const text = items.map((item) => item.text.trim()).join(' ');
  return { text: text.replace(/\s+/g, ' '), box: around(items), items };
}

/** The bounding box of all boxes. */
export function around(boxes: readonly Box[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** True where the centre of `inner` is within `outer`. */
export function liesIn(inner: Box, outer: Box): boolean {
  const x = inner.x + inner.width / 2;
  const y = inner.y + inner.height / 2;
  return x >= outer.x && x <= outer.x + outer.width && y >= outer.y && y <= outer.y + outer.height;
}

export const isMonospaced = ({ fontName = '' }: TextItem) =>
  /mono|courier|consol|typewriter|menlo|(?:^|\+)(?:CMTT|SFTT|CMSLTT)|[-\d]tt\b/i.test(fontName);
