/** PDF -> Markdown. */
import { LiteParse } from '@llamaindex/liteparse';
import { SourceError } from '../../contract/errors.ts';
import type { Content, Reading } from '../content.ts';
import { assertWithin, type Limits } from '../limits.ts';
import { escapeText } from '../markdown/write.ts';
import type { BinaryFormat } from './format.ts';

type PdfText = { pages: string[]; title: string | null };

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
  const plain = laidOut?.some((page) => page !== '') ? null : await plainText(bytes, laidOut, limits);
  const pages = plain?.pages ?? laidOut ?? [];
  const { markdown, starts } = joinPages(pages);
  const title = markdown === '' ? null : usableTitle(plain === null ? await titleOf(bytes) : plain.title);
  return { markdown, title, languageHint: null, parts: { unit: 'page', starts } };
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
  });
  try {
    const { pages, totalPages } = await parser.parse(bytes);
    assertWithin(limits, 'pages', Math.max(totalPages, pages.length));
    return pages.map((page) => cleanPage(page.markdown));
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const message = error instanceof Error ? error.message : '';
    if (/password/i.test(message)) throw encrypted(error);
    if (/invalid PDF format/i.test(message)) throw damaged(error);
    return null;
  }
}

/** What pdf.js reads, for files that the layout parser gives nothing for; loaded only then. */
async function plainText(bytes: Uint8Array, laidOut: string[] | null, limits: Limits): Promise<PdfText> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    // A copy: pdf.js takes the buffer for itself, and refuses Node's Buffer.
    const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    assertWithin(limits, 'pages', document.numPages);
    const { text } = await extractText(document, { mergePages: false });
    return { pages: text.map((page) => cleanPage(escapeText(page))), title: await titleOf(bytes) };
  } catch (error) {
    if (error instanceof SourceError) throw error;
    if (error instanceof Error && error.name === 'PasswordException') throw encrypted(error);
    // The first parser did open it, and found only images.
    if (laidOut !== null) return { pages: laidOut, title: null };
    throw damaged(error);
  }
}

/** The title of the document's information dictionary or XMP, or null. */
async function titleOf(bytes: Uint8Array): Promise<string | null> {
  const { getDocumentProxy, getMeta } = await import('unpdf');
  try {
    const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    const { info } = await getMeta(document);
    const title: unknown = info.Title;
    return typeof title === 'string' ? title : null;
  } catch {
    return null;
  }
}

/** Programs write file names and their own names into the title. */
function usableTitle(title: string | null): string | null {
  const text =
    title
      ?.replaceAll('\0', '')
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, '') ?? '';
  const noTitle =
    /^(?:untitled|unbenannt|document\d*|\(?unspecified\)?|title|slide 1)$|\.(?:docx?|pptx?|xlsx?|tex|indd|dvi|pdf|rtf|odt|qxd)$/i;
  return text.length < 2 || noTitle.test(text) ? null : text;
}

function cleanPage(page: string): string {
  return (
    page
      .replace(/\r\n?/g, '\n')
      .replaceAll('\0', '')
      .toWellFormed()
      // An empty page comes as an empty code block.
      .replace(/^```\w*\n\s*```$/gm, '')
      .trim()
  );
}

/** Pages one after the other; a paragraph that runs over a page's end is one again. */
function joinPages(pages: string[]): { markdown: string; starts: number[] } {
  const starts: number[] = [];
  let markdown = '';
  for (const page of pages) {
    if (page !== '' && markdown !== '') markdown += goesOn(markdown, page) ? ' ' : '\n\n';
    starts.push(markdown.length);
    markdown += page;
  }
  return { markdown, starts };
}

function goesOn(before: string, page: string): boolean {
  const lastLine = before.slice(before.lastIndexOf('\n') + 1);
  const isProse = (line: string) => !/^(?:#|\||```|[-*+] |\d+[.)] |>)/.test(line.trim());
  return /[\p{Ll},;]$/u.test(lastLine) && /^\p{Ll}/u.test(page) && isProse(lastLine) && isProse(page);
}

function encrypted(cause: unknown): SourceError {
  return new SourceError('file_encrypted', 'The PDF is protected with a password.', { cause });
}

function damaged(cause: unknown): SourceError {
  return new SourceError('file_damaged', 'The PDF is damaged or incomplete and cannot be opened.', { cause });
}
