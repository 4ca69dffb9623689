/** Makes Office files from given parts, as uncompressed ZIPs (APPNOTE 4.3). */
import { crc32 } from 'node:zlib';

const namespaces = [
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"',
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
].join(' ');

/** Makes a ZIP of texts by path. */
export function officeFile(files: Record<string, string>): Uint8Array {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** Makes a Word document with this body; `parts` are further parts by name without ".xml". */
export function wordFile(body: string, parts: Record<string, string> = {}): Uint8Array {
  const others = Object.entries(parts).map(([name, xml]) => [`word/${name}.xml`, declared(xml)]);
  const document = declared(`<w:document><w:body>${body}</w:body></w:document>`);
  return officeFile({ 'word/document.xml': document, ...Object.fromEntries(others) });
}

/** Makes a presentation of slides with these shapes; `order` has slide numbers from 1. */
export function deckFile(slides: string[], order: number[]): Uint8Array {
  const files: Record<string, string> = {};
  for (const [at, shapes] of slides.entries()) {
    files[`ppt/slides/slide${at + 1}.xml`] = declared(`<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`);
  }
  const ids = order.map((number) => `<p:sldId r:id="rId${number}"/>`).join('');
  const links = order.map(
    (number) => `<Relationship Id="rId${number}" Type="x/slide" Target="slides/slide${number}.xml"/>`,
  );
  return officeFile({
    'ppt/presentation.xml': declared(`<p:presentation><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`),
    'ppt/_rels/presentation.xml.rels': `<Relationships>${links.join('')}</Relationships>`,
    ...files,
  });
}

/** Declares the namespaces at the root element. */
function declared(xml: string): string {
  return xml.replace(/^<([\w:]+)/, `<$1 ${namespaces}`);
}

/** Makes an OpenDocument file with this body. */
export function openDocumentFile(body: string): Uint8Array {
  const namespaces = ['office', 'text', 'table', 'draw', 'svg'].map((name) => `xmlns:${name}="urn:test:${name}"`);
  const content = `<office:document-content ${namespaces.join(' ')}><office:body>${body}</office:body></office:document-content>`;
  return officeFile({ 'content.xml': content });
}
