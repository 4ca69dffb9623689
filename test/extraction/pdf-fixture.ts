/**
 * Writes small PDF 1.4 files by hand, so that tests need no binary fixture: Helvetica, one content stream a page,
 * uncompressed, with a correct cross-reference table (ISO 32000-1, 7.5).
 */

type PdfOptions = {
  /** Document title in the Info dictionary. */
  title?: string;
};

/** Lines that begin with "# " or "## " are set in a larger bold type, so that readers see headings. */
function typeFor(line: string): { text: string; font: string; size: number } {
  if (line.startsWith('## ')) return { text: line.slice(3), font: '/F2', size: 16 };
  if (line.startsWith('# ')) return { text: line.slice(2), font: '/F2', size: 24 };
  return { text: line, font: '/F1', size: 11 };
}

function escapeString(text: string): string {
  return text.replace(/[\\()]/g, (mark) => `\\${mark}`);
}

function pageContent(lines: string[]): string {
  let y = 740;
  const operators: string[] = [];
  for (const line of lines) {
    const { text, font, size } = typeFor(line);
    operators.push(`BT ${font} ${size} Tf 72 ${y} Td (${escapeString(text)}) Tj ET`);
    y -= Math.round(size * 1.6);
  }
  return operators.join('\n');
}

/** Assembles numbered objects (the first is object 1) into a PDF file; object 1 must be the catalog. */
export function assemblePdf(objects: (string | Buffer)[], trailer = ''): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let length = parts[0]?.length ?? 0;
  const push = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  const offsets: number[] = [];
  objects.forEach((object, index) => {
    offsets.push(length);
    push(Buffer.from(`${index + 1} 0 obj\n`, 'latin1'));
    push(typeof object === 'string' ? Buffer.from(object, 'latin1') : object);
    push(Buffer.from('\nendobj\n', 'latin1'));
  });
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  push(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}`, 'latin1'));
  push(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer}>>\nstartxref\n${start}\n%%EOF\n`, 'latin1'));
  return new Uint8Array(Buffer.concat(parts));
}

/** A stream object with the given dictionary entries; /Length is added. */
export function pdfStream(data: Buffer, entries = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Length ${data.length} >>\nstream\n`, 'latin1'),
    data,
    Buffer.from('\nendstream', 'latin1'),
  ]);
}

/** Makes a PDF whose pages have the given content streams. */
export function pdfOfStreams(streams: Buffer[], options: PdfOptions = {}): Uint8Array {
  const fonts = 3;
  const firstPage = 5;
  const kids = streams.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ');
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
  ];
  streams.forEach((stream, index) => {
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${firstPage + 2 * index + 1} 0 R ` +
        `/Resources << /Font << /F1 ${fonts} 0 R /F2 ${fonts + 1} 0 R >> >> >>`,
      stream,
    );
  });
  if (options.title === undefined) return assemblePdf(objects);
  objects.push(`<< /Title (${escapeString(options.title)}) >>`);
  return assemblePdf(objects, `/Info ${objects.length} 0 R `);
}

/**
 * A valid PDF with one page for each list of lines (Latin-1 text). A line that begins with "# " or "## " is set as a
 * heading, without its marks.
 */
export function makePdf(pages: string[][], options: PdfOptions = {}): Uint8Array {
  return pdfOfStreams(
    pages.map((lines) => pdfStream(Buffer.from(pageContent(lines), 'latin1'))),
    options,
  );
}
