/** Small files that become large, and entities. */
import { deflateSync } from 'node:zlib';
import { pdfOfStreams, pdfStream } from '../pdf-fixture.ts';
import { fileCase, type HostileCase } from './case.ts';
import {
  chapterOf,
  docxOf,
  epubOf,
  odfOf,
  openDocumentOf,
  pptxOf,
  sheetBegin,
  sheetOf,
  slideOf,
  wordBegin,
  wordEnd,
  wordParagraph,
  wordText,
  xlsxOf,
} from './office.ts';
import { deflatedRun, type ZipEntry, zipOf } from './zip-writer.ts';

const manyFiles = (count: number, data: string | Buffer): ZipEntry[] =>
  Array.from({ length: count }, (_, at) => ({ path: `word/media/${at}.bin`, data }));

/** Zips within zips, four levels of ten. */
function nestedZip(level: number): Uint8Array {
  if (level === 0) return zipOf([{ ...deflatedRun(64), path: 'zeros' }]);
  const inner = Buffer.from(nestedZip(level - 1));
  return zipOf(Array.from({ length: 10 }, (_, at) => ({ path: `${at}.zip`, data: inner })));
}

function overlapping(): Uint8Array {
  const kernel = { ...deflatedRun(4), path: 'word/media/0.bin' };
  const shared = (at: number): ZipEntry => ({ path: `word/media/${at + 1}.bin`, data: '', sharesWith: 3 });
  return docxOf(wordText, [kernel, ...Array.from({ length: 5_000 }, (_, at) => shared(at))]);
}

const zipBombs: HostileCase[] = [
  fileCase('a DOCX of 1 GiB of text', 'a.docx', () => docxOf(deflatedRun(1024)), 'extraction_limit'),
  fileCase('a DOCX of 64 MiB of text in 64 kB', 'a.docx', () => docxOf(deflatedRun(64)), 'extraction_limit'),
  fileCase(
    'a DOCX that declares 1 kB and inflates to 512 MiB',
    'a.docx',
    () => docxOf({ ...deflatedRun(512, ' ', wordBegin, wordEnd), size: 1024 }),
    'file_damaged',
  ),
  fileCase('a DOCX of 50,000 files', 'a.docx', () => docxOf(wordText, manyFiles(50_000, 'x')), 'extraction_limit'),
  fileCase(
    'a DOCX of 700 files of 1 MiB',
    'a.docx',
    () => docxOf(wordText, manyFiles(700, Buffer.alloc(1024 * 1024, 'ab'))),
    'extraction_limit',
  ),
  fileCase('a DOCX of overlapping files', 'a.docx', overlapping, ['extraction_limit', 'file_damaged']),
  fileCase('a XLSX of 1 GiB of cells', 'a.xlsx', () => xlsxOf(deflatedRun(1024, ' ', sheetBegin)), 'extraction_limit'),
  fileCase('a PPTX of 1 GiB of text', 'a.pptx', () => pptxOf(deflatedRun(1024)), 'extraction_limit'),
  fileCase('an ODT of 1 GiB of text', 'a.odt', () => odfOf('text', deflatedRun(1024)), 'extraction_limit'),
  fileCase('an ODS of 1 GiB of cells', 'a.ods', () => odfOf('spreadsheet', deflatedRun(1024)), 'extraction_limit'),
  fileCase('an EPUB of a chapter of 1 GiB', 'a.epub', () => epubOf([deflatedRun(1024)]), 'extraction_limit'),
  fileCase('nested ZIPs', 'a.zip', () => nestedZip(3), 'unsupported_format'),
  fileCase(
    'nested ZIPs within a DOCX',
    'a.docx',
    () => docxOf(wordText, [{ path: 'word/embeddings/a.zip', data: Buffer.from(nestedZip(2)) }]),
    'read',
  ),
];

const line = 'BT /F1 11 Tf 72 700 Td (Hello world) Tj ET\n';
const flateBombs: HostileCase[] = [
  fileCase(
    'a PDF page of 90 MB of operators',
    'a.pdf',
    () => pdfOfStreams([pdfStream(deflateSync(Buffer.from(line.repeat(2_000_000))), '/Filter /FlateDecode')]),
    ['extraction_memory', 'extraction_timeout'],
  ),
  fileCase(
    'a PDF page of 1 GiB, deflated twice',
    'a.pdf',
    () => {
      const once = deflateSync(Buffer.alloc(256 * 1024 * 1024, ' '));
      return pdfOfStreams([pdfStream(deflateSync(once), '/Filter [/FlateDecode /FlateDecode]')]);
    },
    ['extraction_memory', 'extraction_timeout', 'content_empty', 'file_damaged'],
  ),
];

const laughs = `<!DOCTYPE a [<!ENTITY a0 "ha">${Array.from(
  { length: 30 },
  (_, at) => `<!ENTITY a${at + 1} "&a${at};&a${at};&a${at};&a${at};">`,
).join('')}]>`;
const external = '<!DOCTYPE a [<!ENTITY a30 SYSTEM "file:///etc/passwd">]>';
const secret = 'root:x:0:0';
const withDoctype = (part: string, doctype: string) => part.replace(/<\?xml[^>]*\?>/, (begin) => begin + doctype);

const parts: [string, (doctype: string) => Uint8Array | string, HostileCase['ends']][] = [
  ['docx', (d) => docxOf(withDoctype(wordBegin + wordParagraph('&a30;') + wordEnd, d)), ['file_damaged']],
  [
    'xlsx',
    (d) => xlsxOf(withDoctype(sheetOf('<row><c t="inlineStr"><is><t>&a30;</t></is></c></row>'), d)),
    ['read', 'file_damaged', 'content_empty'],
  ],
  [
    'pptx',
    (d) => pptxOf(withDoctype(slideOf('<p:sp><p:txBody><a:p><a:r><a:t>&a30;</a:t></a:r></a:p></p:txBody></p:sp>'), d)),
    ['file_damaged'],
  ],
  ['odt', (d) => odfOf('text', withDoctype(openDocumentOf('text', '<text:p>&a30;</text:p>'), d)), ['file_damaged']],
  [
    'ods',
    (d) =>
      odfOf(
        'spreadsheet',
        withDoctype(
          openDocumentOf(
            'spreadsheet',
            '<table:table><table:table-row><table:table-cell><text:p>&a30;</text:p></table:table-cell></table:table-row></table:table>',
          ),
          d,
        ),
      ),
    ['file_damaged'],
  ],
  [
    'odp',
    (d) => odfOf('presentation', withDoctype(openDocumentOf('presentation', '<text:p>&a30;</text:p>'), d)),
    ['file_damaged'],
  ],
  // A chapter is HTML, whose reader does not support declared entities.
  ['epub', (d) => epubOf([withDoctype(chapterOf('<p>Hello &a30;</p>'), d)]), ['read', 'file_damaged']],
  [
    'svg',
    (d) => `<?xml version="1.0"?>${d}<svg xmlns="http://www.w3.org/2000/svg"><text>&a30;</text></svg>`,
    ['read', 'file_damaged', 'content_empty', 'unsupported_format'],
  ],
  [
    'rss',
    (d) =>
      `<?xml version="1.0"?>${d}<rss version="2.0"><channel><title>T</title><item><title>I</title><description>&a30;</description></item></channel></rss>`,
    ['read', 'file_damaged', 'content_empty'],
  ],
  [
    'atom',
    (d) =>
      `<?xml version="1.0"?>${d}<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><entry><title>I</title><summary>&a30;</summary></entry></feed>`,
    ['read', 'file_damaged', 'content_empty'],
  ],
  ['xml', (d) => `<?xml version="1.0"?>${d}<a>&a30;</a>`, ['read', 'file_damaged']],
];

const entityBombs = parts.flatMap(([extension, make, ends]) => [
  fileCase(`an entity bomb in ${extension}`, `a.${extension}`, () => make(laughs), ends, 'haha'),
  fileCase(`an external entity in ${extension}`, `a.${extension}`, () => make(external), ends, secret),
]);

export const bombs: readonly HostileCase[] = [...zipBombs, ...flateBombs, ...entityBombs];
