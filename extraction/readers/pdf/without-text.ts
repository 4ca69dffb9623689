/** Pages without text: their content, and the warnings and errors for them. */
import type { PageComplexityStats, ParsedPage } from '@llamaindex/liteparse';
import { SourceError } from '../../../contract/errors.ts';
import type { ReadingWarning } from '../../../contract/extraction.ts';
import { parseLayout } from './layout-parser.ts';

type Content = 'images' | 'drawings' | 'nothing';

/** Limit of pages that are analysed; the others are assumed to have the most frequent content of these. */
const MAX_ANALYSED = 50;
const remedy = 'Run the PDF through text recognition (OCR) and send the result.';

/** The content of the pages without text (by index). */
export async function contentOf(
  bytes: Uint8Array,
  pages: readonly ParsedPage[],
  empty: readonly number[],
): Promise<Content[]> {
  if (empty.length === 0) return [];
  const first = empty.slice(0, MAX_ANALYSED);
  const statistics = await complexityOf(bytes, first);
  const contents = first.map((index) => contentOfPage(pages[index], statistics.get(index)));
  const rest = contents.toSorted()[contents.length >> 1] ?? 'nothing';
  return empty.map((_, at) => contents[at] ?? rest);
}

async function complexityOf(bytes: Uint8Array, pages: readonly number[]): Promise<Map<number, PageComplexityStats>> {
  const parsed = await parseLayout(bytes, {
    ocrEnabled: false,
    outputFormat: 'json',
    quiet: true,
    continueOnPageError: true,
    includeComplexity: true,
    targetPages: pages.map((page) => page + 1).join(','),
  }).catch(() => null);
  return new Map(
    (parsed?.pages ?? []).flatMap(({ pageNum, complexity }) =>
      complexity === undefined ? [] : [[pageNum - 1, complexity]],
    ),
  );
}

function contentOfPage(page: ParsedPage | undefined, statistics: PageComplexityStats | undefined): Content {
  if (statistics?.fullPageImage || statistics?.hasSubstantialImages || (statistics?.imageBlockCount ?? 0) > 0) {
    return 'images';
  }
  const { lines = [], shapes = [] } = page?.vectorGraphics ?? {};
  return lines.length + shapes.length > 0 ? 'drawings' : 'nothing';
}

/** Warnings with the number of pages that contain only images or only drawings; none for blank pages. */
export function warningsOf(contents: readonly Content[], pages: number): ReadingWarning[] {
  const warningOf = (content: Content, code: string, description: string): ReadingWarning[] => {
    const count = contents.filter((one) => one === content).length;
    if (count === 0) return [];
    const message = `${count} of ${pages} pages ${count === 1 ? 'has' : 'have'} ${description} ${remedy}`;
    return [{ code, message }];
  };
  return [
    ...warningOf('images', 'images_without_text', 'only images: text in images is not recognised.'),
    ...warningOf('drawings', 'drawings_without_text', 'only drawings: text in drawings is not recognised.'),
  ];
}

/** The error for a PDF without text. */
export function emptyError(contents: readonly Content[]): SourceError {
  if (contents.includes('images')) {
    const message = 'The PDF has only images, such as scanned pages, and text in images is not recognised.';
    return new SourceError('content_empty', `${message} ${remedy}`);
  }
  if (contents.includes('drawings')) {
    return new SourceError(
      'content_empty',
      `The PDF has only drawings, and text in drawings is not recognised. ${remedy}`,
    );
  }
  return new SourceError('content_empty', 'The PDF has no text: its pages are blank or unreadable.');
}
