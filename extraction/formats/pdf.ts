/** PDF -> Markdown. */
import { LiteParse } from '@llamaindex/liteparse';
import { SourceError } from '../../contract/errors.ts';
import type { ReadingWarning } from '../../contract/extraction.ts';
import type { Content, Reading } from '../content.ts';
import { assertWithin, type Limits } from '../limits.ts';
import { escapeText } from '../markdown/write.ts';
import { aboutOf } from '../pdf/about.ts';
import { pageMarkdown } from '../pdf/page-markdown.ts';
import { runningLines } from '../pdf/running-lines.ts';
import type { BinaryFormat } from './format.ts';

export const pdf: BinaryFormat = {
  kind: 'binary',
  name: 'pdf',
  label: 'a PDF',
  mediaTypes: ['application/pdf', 'application/x-pdf'],
  extensions: ['pdf'],
  magic: [],
  parser: '@llamaindex/liteparse',
  emptiness: 'The PDF has no text; it seems to hold only images.',
  matches: isPdf,
  read: ({ bytes }, limits) => pdfToMarkdown(bytes, limits),
};

/** Readers accept the mark within the first 1,024 bytes (ISO 32000-1, implementation note 13). */
function isPdf({ bytes, contentType, filename }: Content): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const head = text.slice(0, 1024);
  if (!/%PDF-\d/.test(head)) return false;
  const isCalledSo = /^application\/(?:x-)?pdf\b/i.test(contentType ?? '') || /\.pdf$/i.test(filename ?? '');
  return isCalledSo || (head.startsWith('%PDF-') && /\bobj\b|\bxref\b|%%EOF/.test(text));
}

/**
 * The text of a PDF with the headings, lists and tables that its layout shows; running headers and footers are left
 * out. Markdown is empty for a PDF of images. Throws SourceError `file_encrypted` (a password is needed to open it),
 * `file_damaged`, `extraction_limit` (too many pages).
 */
async function pdfToMarkdown(bytes: Uint8Array, limits: Limits): Promise<Reading> {
  const laidOut = await layoutText(bytes, limits);
  const pages = laidOut?.some((page) => page !== '') ? laidOut : await plainText(bytes, laidOut, limits);
  const { markdown, starts } = joinPages(pages);
  const about = markdown === '' ? {} : await aboutOf(bytes);
  return { ...nothing, ...about, markdown, parts: { unit: 'page', starts }, warnings: warningsOf(pages) };
}

const nothing = { title: null, languageHint: null };

function warningsOf(pages: readonly string[]): ReadingWarning[] {
  const empty = pages.filter((page) => page === '').length;
  if (empty === 0) return [];
  const which = empty === 1 ? '1 page has' : `${empty} pages have`;
  const message = `${which} no text and may hold images alone: text in images is not recognised.`;
  return [{ code: 'pages_without_text', message }];
}

/** Pages as Markdown, or null when the parser makes nothing of a file that may still be readable. */
async function layoutText(bytes: Uint8Array, limits: Limits): Promise<string[] | null> {
  const parser = new LiteParse({
    ocrEnabled: false,
    outputFormat: 'markdown',
    imageMode: 'off',
    quiet: true,
    continueOnPageError: true,
    maxPages: limits.pages + 1,
    extractBlocks: true,
    // Which lines come again is told from where they stand (running-lines.ts).
    keepHeadersFooters: true,
    extractAnnotations: true,
    extractVectorGraphics: true,
    // Without it the values of form fields are no text of the page.
    extractFormFields: true,
  });
  const parsed = await parser.parse(bytes).catch(nothingUnlessClear);
  if (parsed === null) return null;
  const { pages, totalPages } = parsed;
  assertWithin(limits, 'pages', Math.max(totalPages, pages.length));
  const running = runningLines(pages);
  return pages.map((page, at) => pageMarkdown(page, running[at]));
}

/** Null for a failure after which another parser may do better. @throws SourceError for one that is clear */
function nothingUnlessClear(error: unknown): null {
  const message = error instanceof Error ? error.message : '';
  if (/password/i.test(message)) throw encrypted(error);
  if (/invalid PDF format/i.test(message)) throw damaged(error);
  return null;
}

/** What pdf.js reads, for files that the layout parser gives nothing for; loaded only then. */
async function plainText(bytes: Uint8Array, laidOut: string[] | null, limits: Limits): Promise<string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    // A copy: pdf.js takes the buffer for itself, and refuses Node's Buffer.
    const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    assertWithin(limits, 'pages', document.numPages);
    const { text } = await extractText(document, { mergePages: false });
    return text.map((page) => cleanPage(escapeText(page)));
  } catch (error) {
    if (error instanceof SourceError) throw error;
    if (error instanceof Error && error.name === 'PasswordException') throw encrypted(error);
    // The first parser did open it, and found only images.
    if (laidOut !== null) return laidOut;
    throw damaged(error);
  }
}

/** A page that another reader gave as plain text. */
const cleanPage = (page: string) => page.replace(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed().trim();

/** Pages one after the other; a paragraph, a word or a table that runs over a page's end is one again. */
function joinPages(pages: readonly string[]): { markdown: string; starts: number[] } {
  const starts: number[] = [];
  let markdown = '';
  for (const page of pages) {
    let text = page;
    if (page !== '' && markdown !== '') {
      const rows = rowsThatGoOn(markdown, page);
      if (rows !== null) {
        markdown += '\n';
        text = rows;
      } else if (goesOn(markdown, page)) {
        if (/\p{Ll}-$/u.test(markdown)) markdown = markdown.slice(0, -1);
        else markdown += ' ';
      } else {
        markdown += '\n\n';
      }
    }
    starts.push(markdown.length);
    markdown += text;
  }
  return { markdown, starts };
}

/** What a page begins with, without the header that its table repeats from the page before; null for anything else. */
function rowsThatGoOn(before: string, page: string): string | null {
  const header = /^\|.*\|\n\|(?: ?:?-+:? ?\|)+\n/.exec(page)?.[0];
  if (header === undefined || !before.endsWith('|')) return null;
  const table = before.slice(before.lastIndexOf('\n\n') + 1).trimStart();
  return table.startsWith(header) ? page.slice(header.length) : null;
}

function goesOn(before: string, page: string): boolean {
  const lastLine = before.slice(before.lastIndexOf('\n') + 1);
  const isProse = (line: string) => !/^(?:#|\||```|[-*+] |\d+[.)] |>)/.test(line.trim());
  return /[\p{Ll},;]-?$/u.test(lastLine) && /^\p{Ll}/u.test(page) && isProse(lastLine) && isProse(page);
}

function encrypted(cause: unknown): SourceError {
  return new SourceError('file_encrypted', 'The PDF is protected with a password.', { cause });
}

function damaged(cause: unknown): SourceError {
  return new SourceError('file_damaged', 'The PDF is damaged or incomplete and cannot be opened.', { cause });
}
