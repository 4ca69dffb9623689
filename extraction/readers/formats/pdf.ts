/** PDF -> Markdown. */
import type { ParsedPage, ParseResult } from '@llamaindex/liteparse';
import { SourceError } from '../../../contract/errors.ts';
import type { ReadingWarning } from '../../../contract/extraction.ts';
import type { Content, Reading } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { escapeText } from '../../markdown/write.ts';
import { NativeCodeRefused } from '../native-code.ts';
import { aboutOf } from '../pdf/about.ts';
import { remarkWarnings } from '../pdf/annotations.ts';
import { joinPages } from '../pdf/join-pages.ts';
import { parseLayout } from '../pdf/layout-parser.ts';
import { pageMarkdown } from '../pdf/page-markdown.ts';
import { runningLines } from '../pdf/running-lines.ts';
import { isUnknown, unknownError, unknownWarnings, withKnownCharacters } from '../pdf/unknown-characters.ts';
import { contentOf, emptyError, warningsOf } from '../pdf/without-text.ts';
import type { BinaryFormat } from './format.ts';

export const pdf: BinaryFormat = {
  kind: 'binary',
  name: 'pdf',
  label: 'a PDF',
  mediaTypes: ['application/pdf', 'application/x-pdf'],
  extensions: ['pdf'],
  magic: [],
  parser: '@llamaindex/liteparse',
  emptyMessage: 'The PDF has no text.',
  matches: isPdf,
  read: ({ bytes }, limits) => pdfToMarkdown(bytes, limits),
};

/** Viewers accept "%PDF-" within the first 1,024 bytes (ISO 32000-1, implementation note 13). */
function isPdf({ bytes, contentType, filename }: Content): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const head = text.slice(0, 1024);
  if (!/%PDF-\d/.test(head)) return false;
  const isDeclared = /^application\/(?:x-)?pdf\b/i.test(contentType ?? '') || /\.pdf$/i.test(filename ?? '');
  return isDeclared || (head.startsWith('%PDF-') && /\bobj\b|\bxref\b|%%EOF/.test(text));
}

/**
 * The text of a PDF with headings, lists and tables from its layout, and the values of its form. Running headers and
 * footers are left out.
 * @throws SourceError `file_encrypted` (a password is needed to open it), `file_damaged`, `extraction_limit` (too many
 * pages), `content_empty` (no text, for example images only)
 */
async function pdfToMarkdown(bytes: Uint8Array, limits: Limits): Promise<Reading> {
  const parsed = await parsedPages(bytes, limits);
  const laidOut = parsed === null ? null : markdownOf(parsed.pages);
  const read = laidOut?.some((page) => page !== '') ? laidOut : await plainText(bytes, laidOut, limits);
  const pages = read.map(withKnownCharacters);
  const empty = [...pages.keys()].filter((page) => pages[page] === '');
  const contents = await contentOf(bytes, parsed?.pages ?? [], empty);
  const { markdown, starts } = joinPages(pages);
  if (markdown === '') throw emptyError(contents);
  if (isUnknown(markdown)) throw unknownError();
  return {
    ...(await aboutOf(bytes)),
    markdown,
    parts: { unit: 'page', starts },
    warnings: [
      ...damagedPages(parsed?.pageErrors.length ?? 0),
      ...warningsOf(contents, pages.length),
      ...unknownWarnings(pages),
      ...remarkWarnings(parsed?.pages ?? []),
    ],
  };
}

function damagedPages(count: number): ReadingWarning[] {
  if (count === 0) return [];
  const message = `${count} ${count === 1 ? 'page is' : 'pages are'} damaged and could not be read.`;
  return [{ code: 'pages_damaged', message }];
}

/** Pages from the layout parser; null where it fails on a file that another parser may be able to read. */
async function parsedPages(bytes: Uint8Array, limits: Limits): Promise<ParseResult | null> {
  const parsed = await parseLayout(bytes, {
    ocrEnabled: false,
    outputFormat: 'markdown',
    imageMode: 'off',
    quiet: true,
    continueOnPageError: true,
    maxPages: limits.pages + 1,
    extractBlocks: true,
    // Running headers and footers are detected in running-lines.ts.
    keepHeadersFooters: true,
    // It would link whole lines; see links.ts.
    extractLinks: false,
    extractAnnotations: true,
    extractVectorGraphics: true,
    // Otherwise the values of form fields are missing from the text.
    extractFormFields: true,
  }).catch(nullOrThrow);
  if (parsed !== null) assertWithin(limits, 'pages', Math.max(parsed.totalPages, parsed.pages.length));
  return parsed;
}

function markdownOf(pages: readonly ParsedPage[]): string[] {
  const running = runningLines(pages);
  return pages.map((page, at) => pageMarkdown(page, running[at]));
}

/** Null for an error after which another parser may succeed. @throws SourceError for other errors, NativeCodeRefused */
function nullOrThrow(error: unknown): null {
  if (error instanceof NativeCodeRefused) throw error;
  const message = error instanceof Error ? error.message : '';
  if (/password/i.test(message)) throw encrypted(error);
  if (/invalid PDF format/i.test(message)) throw damaged(error);
  return null;
}

/** Text of the pages from pdf.js, which is loaded only for files without a result of the layout parser. */
async function plainText(bytes: Uint8Array, laidOut: string[] | null, limits: Limits): Promise<string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    // A copy: pdf.js transfers the buffer, and rejects Node's Buffer.
    const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    assertWithin(limits, 'pages', document.numPages);
    const { text } = await extractText(document, { mergePages: false });
    return text.map((page) => cleanPage(escapeText(page)));
  } catch (error) {
    if (error instanceof SourceError) throw error;
    if (error instanceof Error && error.name === 'PasswordException') throw encrypted(error);
    // The layout parser opened the file and found no text.
    if (laidOut !== null) return laidOut;
    throw damaged(error);
  }
}

/** Normalizes a page of plain text from pdf.js. */
const cleanPage = (page: string) => page.replace(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed().trim();

function encrypted(cause: unknown): SourceError {
  return new SourceError('file_encrypted', 'The PDF is protected with a password.', { cause });
}

function damaged(cause: unknown): SourceError {
  return new SourceError('file_damaged', 'The PDF is damaged or incomplete and cannot be opened.', { cause });
}
