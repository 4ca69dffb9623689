/** OpenDocument files (ISO 26300 part 3): parts, embedded objects and metadata. */
import { posix } from 'node:path';
import { SourceError } from '../../../contract/errors.ts';
import type { DocumentAbout } from '../../../contract/extraction.ts';
import { type ContainerKind, containerKind, kindOfMediaType } from '../../detection/containers/kind.ts';
import { type Container, openContainer } from '../../detection/containers/zip.ts';
import type { Limits } from '../../limits.ts';
import { timeOf, usableTitle } from '../document/properties.ts';
import { childOf, descendantsOf, elementsOf, parseXml, textOf, type XmlElement } from '../xml/parse.ts';
import { withKnownPrefixes } from '../xml/prefixes.ts';

export interface OpenDocument {
  content: XmlElement;
  styles: XmlElement | null;
  /** Content of embedded formulas and charts, by the path in the frame. */
  objects: ReadonlyMap<string, XmlElement>;
  title: string | null;
  language: string | null;
  about: Partial<DocumentAbout>;
}

/** Opens a document. @throws SourceError `file_encrypted`, `file_damaged`, and as `openContainer` */
export async function openDocument(bytes: Uint8Array, limits: Limits): Promise<OpenDocument> {
  const container = await openFlatOrPacked(bytes, limits);
  await assertNotEncrypted(container);
  const content = await partOf(container, 'content.xml');
  if (content === null) throw new SourceError('file_damaged', 'The file has no content.xml, its main part.');
  const meta = childOf((await container.xml('meta.xml').catch(() => null)) ?? undefined, 'office:meta');
  const text = (name: string) => textOf(childOf(meta, name)).replace(/\s+/g, ' ').trim() || null;
  const created = text('meta:creation-date');
  const language = text('dc:language');
  return {
    content,
    styles: await partOf(container, 'styles.xml'),
    objects: await objectsOf(container, content),
    title: usableTitle(text('dc:title')),
    language: language !== null && /^[a-z]{2,3}(?:-[\w-]+)?$/i.test(language) ? language : null,
    about: {
      author: text('meta:initial-creator') ?? text('dc:creator'),
      publishedAt: timeOf(created),
    },
  };
}

/** The kind of an OpenDocument file, packed or as one XML document (part 3, 3.1.2); null for other files. */
export function openDocumentKind(bytes: Uint8Array): ContainerKind | null {
  if (isPacked(bytes)) return containerKind(bytes);
  const begin = Buffer.from(bytes.subarray(0, flatHeadBytes)).toString('latin1');
  const root = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml\s[^>]*>\s*<)?office:document\s([^>]*)>/.exec(begin)?.[1];
  const mediaType = /\soffice:mimetype\s*=\s*["']([^"']*)["']/.exec(` ${root ?? ''}`)?.[1];
  return mediaType === undefined ? null : kindOfMediaType(mediaType);
}

/** Bytes to search for the root element of a flat file, which declares some forty namespaces. */
const flatHeadBytes = 16 * 1024;

function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

/** The parts of a file; in a flat file each part is its single document. @throws SourceError as `openContainer` */
export async function openFlatOrPacked(bytes: Uint8Array, limits: Limits): Promise<Container> {
  if (isPacked(bytes)) return openContainer(bytes, limits);
  const root = parseXml(bytes, limits);
  const paths = ['content.xml', 'styles.xml', 'meta.xml'];
  return {
    paths,
    bytes: async () => null,
    xml: async (path) => (paths.includes(path) ? root : null),
  };
}

/** Searches the manifest, which is not parsed since it may have a DOCTYPE. @throws SourceError `file_encrypted` */
export async function assertNotEncrypted(container: Container): Promise<void> {
  const manifest = await container.bytes('META-INF/manifest.xml');
  if (manifest !== null && /:encryption-data\b/.test(Buffer.from(manifest).toString('utf8'))) {
    throw new SourceError('file_encrypted', 'The document is protected with a password.');
  }
}

/** The root of a part with the prefixes of the standard. */
async function partOf(container: Container, path: string): Promise<XmlElement | null> {
  const root = await container.xml(path);
  return root === null ? null : withKnownPrefixes(root);
}

async function objectsOf(container: Container, content: XmlElement): Promise<Map<string, XmlElement>> {
  const objects = new Map<string, XmlElement>();
  for (const { attributes } of descendantsOf(content, 'draw:object')) {
    const href = attributes['xlink:href'] ?? '';
    if (href === '') continue;
    const path = posix.join(posix.normalize(href), 'content.xml').replace(/^\/+/, '');
    // An unreadable formula is left out; the document is still read.
    const root = await container.xml(path).catch(() => null);
    if (root !== null) objects.set(href, root);
  }
  return objects;
}

/** The element with the content of a document of this kind. @throws SourceError `file_damaged` for another kind */
export function bodyOf({ content }: OpenDocument, kind: 'office:text' | 'office:presentation'): XmlElement {
  const body = childOf(content, 'office:body', kind);
  if (body !== undefined) return body;
  const found = elementsOf(childOf(content, 'office:body'))[0]?.name.replace(/^office:/, '') ?? 'nothing';
  throw new SourceError('file_damaged', `The file is declared as a ${kind.slice(7)} document but contains ${found}.`);
}
