/** Makes minimal Office documents, OpenDocuments and EPUBs around given parts. */
import { type ZipEntry, zipOf } from './zip-writer.ts';

type Part = string | Omit<ZipEntry, 'path'>;

function entry(path: string, part: Part): ZipEntry {
  return typeof part === 'string' ? { path, data: part } : { ...part, path };
}

const xml = '<?xml version="1.0" encoding="UTF-8"?>';
const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function contentTypes(overrides: Record<string, string>): ZipEntry {
  const lines = Object.entries(overrides).map(
    ([path, type]) =>
      `<Override PartName="/${path}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  const types = `${xml}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${lines.join('')}</Types>`;
  return { path: '[Content_Types].xml', data: types };
}

function rels(path: string, targets: [string, string][]): ZipEntry {
  const lines = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`,
  );
  return { path, data: `${xml}<Relationships xmlns="${relationships}">${lines.join('')}</Relationships>` };
}

export const wordBegin = `${xml}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`;
export const wordEnd = '</w:body></w:document>';
export const wordParagraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
export const wordText = wordBegin + wordParagraph('All is well.') + wordEnd;

export function docxOf(document: Part, more: readonly ZipEntry[] = []): Uint8Array {
  return zipOf([
    contentTypes({ 'word/document.xml': 'wordprocessingml.document.main' }),
    rels('_rels/.rels', [['officeDocument', 'word/document.xml']]),
    entry('word/document.xml', document),
    ...more,
  ]);
}

export const sheetBegin = `${xml}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`;
export const sheetOf = (rows: string) => `${sheetBegin}<sheetData>${rows}</sheetData></worksheet>`;

export function xlsxOf(sheet: Part, more: readonly ZipEntry[] = []): Uint8Array {
  return zipOf([
    contentTypes({
      'xl/workbook.xml': 'spreadsheetml.sheet.main',
      'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
    }),
    rels('_rels/.rels', [['officeDocument', 'xl/workbook.xml']]),
    {
      path: 'xl/workbook.xml',
      data: `${xml}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${office}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    rels('xl/_rels/workbook.xml.rels', [['worksheet', 'worksheets/sheet1.xml']]),
    entry('xl/worksheets/sheet1.xml', sheet),
    ...more,
  ]);
}

const drawing =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';
export const slideOf = (shapes: string) =>
  `${xml}<p:sld ${drawing}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;

export function pptxOf(slide: Part, more: readonly ZipEntry[] = []): Uint8Array {
  return zipOf([
    contentTypes({
      'ppt/presentation.xml': 'presentationml.presentation.main',
      'ppt/slides/slide1.xml': 'presentationml.slide',
    }),
    rels('_rels/.rels', [['officeDocument', 'ppt/presentation.xml']]),
    {
      path: 'ppt/presentation.xml',
      data: `${xml}<p:presentation ${drawing} xmlns:r="${office}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
    },
    rels('ppt/_rels/presentation.xml.rels', [['slide', 'slides/slide1.xml']]),
    entry('ppt/slides/slide1.xml', slide),
    ...more,
  ]);
}

const openDocument =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"';
export const openDocumentOf = (kind: 'text' | 'spreadsheet' | 'presentation', body: string) =>
  `${xml}<office:document-content ${openDocument}><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;

/** ODT, ODS or ODP. */
export function odfOf(kind: 'text' | 'spreadsheet' | 'presentation', content: Part, manifest = ''): Uint8Array {
  const mediaType = `application/vnd.oasis.opendocument.${kind}`;
  return zipOf([
    { path: 'mimetype', data: Buffer.from(mediaType), stored: true },
    {
      path: 'META-INF/manifest.xml',
      data: `${xml}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mediaType}"/>${manifest}</manifest:manifest>`,
    },
    entry('content.xml', content),
  ]);
}

export const chapterOf = (body: string) =>
  `${xml}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>C</title></head><body>${body}</body></html>`;

/** Makes an EPUB whose spine repeats these chapters `times` times. */
export function epubOf(chapters: readonly Part[], times = 1): Uint8Array {
  const items = chapters.map((_, at) => `<item id="c${at}" href="c${at}.xhtml" media-type="application/xhtml+xml"/>`);
  const spine = chapters.map((_, at) => `<itemref idref="c${at}"/>`);
  return zipOf([
    { path: 'mimetype', data: 'application/epub+zip', stored: true },
    {
      path: 'META-INF/container.xml',
      data: `${xml}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    },
    {
      path: 'book.opf',
      data: `${xml}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${spine.join('').repeat(times)}</spine></package>`,
    },
    ...chapters.map((chapter, at) => entry(`c${at}.xhtml`, chapter)),
  ]);
}
