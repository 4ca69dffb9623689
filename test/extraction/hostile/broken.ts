/** Truncated, encrypted, mislabelled and empty files, made from the samples. */
import { CFB } from '@e965/xlsx';
import { formats } from '../../../extraction/readers/formats/index.ts';
import { sampleFormats, samplesOf } from '../../support/samples.ts';
import { contentOf } from '../content.ts';
import { makePdf } from '../pdf-fixture.ts';
import { fileCase, type HostileCase } from './case.ts';
import { docxOf, odfOf, wordText } from './office.ts';

/** An Office document with a password is an old Office container around the encrypted one (MS-OFFCRYPTO, 2.3). */
function encryptedOffice(): Uint8Array {
  const container = CFB.utils.cfb_new();
  CFB.utils.cfb_add(container, '/EncryptionInfo', Buffer.from([4, 0, 4, 0, 64, 0, 0, 0]));
  CFB.utils.cfb_add(container, '/EncryptedPackage', Buffer.alloc(8192, 0x5a));
  return Uint8Array.from(Buffer.from(CFB.write(container, { type: 'buffer' })));
}

/** A workbook of Excel 97 whose second record is FILEPASS (MS-XLS, 2.4.117). */
function encryptedXls(): Uint8Array {
  const container = CFB.utils.cfb_new();
  const bof = Buffer.from([9, 8, 16, 0, 0, 6, 5, 0, 0xbb, 0x0d, 0xcc, 0x07, 0, 0, 0, 0, 6, 0, 0, 0]);
  const filepass = Buffer.concat([Buffer.from([0x2f, 0, 54, 0, 1, 0, 1, 0, 1, 0]), Buffer.alloc(48, 7)]);
  CFB.utils.cfb_add(container, '/Workbook', Buffer.concat([bof, filepass, Buffer.alloc(4096)]));
  return Uint8Array.from(Buffer.from(CFB.write(container, { type: 'buffer' })));
}

function encryptedPdf(): Uint8Array {
  const key = '00'.repeat(32);
  const pdf = Buffer.from(makePdf([['Secret']])).toString('latin1');
  const entry = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >> /ID [<00><00>] `;
  return Uint8Array.from(Buffer.from(pdf.replace('/Root 1 0 R ', `/Root 1 0 R ${entry}`), 'latin1'));
}

const encryptedOdf = () =>
  odfOf(
    'text',
    { data: Buffer.alloc(500, 0x5a), stored: true },
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml" manifest:size="900"><manifest:encryption-data manifest:checksum-type="SHA1/1K" manifest:checksum="x"/></manifest:file-entry>',
  );

const encrypted: HostileCase[] = [
  fileCase('an encrypted PDF', 'a.pdf', encryptedPdf, 'file_encrypted'),
  fileCase('an encrypted DOCX', 'a.docx', encryptedOffice, 'file_encrypted'),
  fileCase('an encrypted XLSX', 'a.xlsx', encryptedOffice, 'file_encrypted'),
  fileCase('an encrypted PPTX', 'a.pptx', encryptedOffice, 'file_encrypted'),
  fileCase('an encrypted XLS', 'a.xls', encryptedXls, 'file_encrypted'),
  fileCase('an encrypted ODT', 'a.odt', encryptedOdf, 'file_encrypted'),
  fileCase(
    'a DOCX whose ZIP is encrypted',
    'a.docx',
    () => docxOf({ data: wordText, encrypted: true }),
    'file_encrypted',
  ),
];

const empty: HostileCase[] = formats.flatMap(
  ({ extensions: [extension = 'txt'], mediaTypes: [contentType = null] }) => [
    fileCase(`no byte at all, called .${extension}`, `a.${extension}`, () => '', 'content_empty'),
    {
      name: `nothing but white space, called .${extension}`,
      filename: `a.${extension}`,
      ends: ['content_empty', 'file_damaged'],
      make: () => contentOf(' \n\t\n ', { filename: `a.${extension}`, contentType }),
    },
  ],
);

const binaryNames = formats.filter(({ kind }) => kind === 'binary').map(({ name }) => String(name));
const known = await sampleFormats();
const smallest = (await Promise.all(known.map(samplesOf))).flatMap((samples) =>
  samples.toSorted((a, b) => a.bytes.length - b.bytes.length).slice(0, 1),
);

/** A truncated PDF may be read up to the cut. An image's metadata is at its beginning. */
const truncated: HostileCase[] = smallest
  .filter(({ format }) => binaryNames.includes(format) && format !== 'image')
  .flatMap(({ format, filename, bytes }) =>
    [0.1, 0.5, 0.95].map((share) =>
      fileCase(
        `the first ${share * 100} % of a ${format}`,
        filename,
        () => bytes.slice(0, Math.floor(bytes.length * share)),
        format === 'pdf' || format === 'rtf' || format === 'xls'
          ? ['file_damaged', 'read', 'content_empty', 'unsupported_format']
          : ['file_damaged', 'unsupported_format'],
      ),
    ),
  );

/**
 * Samples under the names and types of other formats. Binary samples must be read by their content; texts may be read
 * by their name or end in an error code. Each text gets a quarter of the names, so that all are covered several times.
 */
export const mislabelled: readonly HostileCase[] = smallest.flatMap((sample, index) => {
  // SVG images are text.
  const isBinary = binaryNames.includes(sample.format) && !sample.filename.endsWith('.svg');
  return formats
    .filter(({ name }, at) => name !== sample.format && (isBinary || (at + index) % 4 === 0))
    .map(({ name, extensions: [extension = 'txt'], mediaTypes: [contentType = null] }) => ({
      name: `a ${sample.format} called ${name}`,
      filename: `a.${extension}`,
      ends: isBinary ? ['read'] : ['read', 'file_damaged', 'unsupported_format', 'content_empty', 'extraction_limit'],
      ...(isBinary ? { readAs: sample.format } : {}),
      make: () => contentOf(sample.bytes, { filename: `a.${extension}`, contentType }),
    }));
});

export const broken: readonly HostileCase[] = [...encrypted, ...empty, ...truncated];
