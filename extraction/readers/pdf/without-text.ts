/** Pages without text: what they hold instead, and what is said of it. */
import type { PageComplexityStats, ParsedPage } from '@llamaindex/liteparse';
import { SourceError } from '../../../contract/errors.ts';
import type { ReadingWarning } from '../../../contract/extraction.ts';
import { parseLayout } from './layout-parser.ts';

type Content = 'images' | 'drawings' | 'nothing';

/** Pages that are looked at more closely; the others are taken to hold what most of these do. */
const MAX_SCANNED = 50;
const remedy = 'Run the PDF through text recognition (OCR) and send the result.';

/** What the pages without text (by index) hold. */
export async function contentOf(
  bytes: Uint8Array,
  pages: readonly ParsedPage[],
  empty: readonly number[],
): Promise<Content[]> {
  if (empty.length === 0) return [];
  const first = empty.slice(0, MAX_SCANNED);
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

/** Says how many of all pages hold images or drawings alone; nothing of blank ones. */
export function warningsOf(contents: readonly Content[], pages: number): ReadingWarning[] {
  const said = (content: Content, code: string, what: string): ReadingWarning[] => {
    const count = contents.filter((one) => one === content).length;
    if (count === 0) return [];
    return [{ code, message: `${count} of ${pages} pages ${count === 1 ? 'has' : 'have'} ${what} ${remedy}` }];
  };
  return [
    ...said('images', 'images_without_text', 'images alone: text in images is not recognised.'),
    ...said('drawings', 'drawings_without_text', 'drawings alone: text that is drawn is not recognised.'),
  ];
}

/** @returns the error of a PDF that has no text at all */
export function emptyError(contents: readonly Content[]): SourceError {
  if (contents.includes('images')) {
    const message = 'The PDF has images alone, such as scanned pages, and text in images is not recognised.';
    return new SourceError('content_empty', `${message} ${remedy}`);
  }
  if (contents.includes('drawings')) {
    return new SourceError(
      'content_empty',
      `The PDF has drawings alone, and text that is drawn is not recognised. ${remedy}`,
    );
  }
  return new SourceError(
    'content_empty',
    'The PDF has no text: its pages are blank, or hold nothing that can be read.',
  );
}
