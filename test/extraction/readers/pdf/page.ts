/** Makes pages like those of the layout parser from lines of text. */
import type { LayoutBlock, ParsedPage, TextItem } from '@llamaindex/liteparse';

/** A text run with letters half as wide as high. */
export function item(text: string, x: number, y: number, told: Partial<TextItem> = {}): TextItem {
  const height = told.height ?? 10;
  return { text, x, y, width: (text.length * height) / 2, height, ...told };
}

/** A page of 600 × 800 points. */
export function pageOf(textItems: TextItem[], blocks: LayoutBlock[] = []): ParsedPage {
  return { pageNum: 1, width: 600, height: 800, text: '', markdown: '', textItems, blocks };
}

/** A paragraph of one line at its position. */
export function paragraph(text: string, x: number, y: number, told: Partial<LayoutBlock> = {}): LayoutBlock {
  return { kind: 'paragraph', text, bbox: { x, y, width: text.length * 5, height: 10 }, ...told };
}
