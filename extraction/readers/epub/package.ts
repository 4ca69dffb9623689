/** The package document of an EPUB 2 or 3 (EPUB 3.3, OCF and OPF): metadata and reading order. */
import { posix } from 'node:path';
import { SourceError } from '../../../contract/errors.ts';
import type { Container } from '../../detection/containers/zip.ts';
import { charsetOfHtml, decodeText } from '../../detection/encoding/decode.ts';
import type { Limits } from '../../limits.ts';
import { fragmentDocument } from '../html/fragment.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';

export interface Book {
  title: string | null;
  author: string | null;
  language: string | null;
  publishedAt: string | null;
  /** Paths of the chapters' files, in reading order, without tables of contents. */
  chapters: string[];
  /** Titles in the table of contents, by path. */
  labels: ReadonlyMap<string, string>;
}

/** Algorithms that obfuscate fonts only; the text is readable. */
const fontAlgorithms = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']);

/** @throws SourceError `file_encrypted` for protected books, `file_damaged` where there is no package, as `parseXml` */
export async function readPackage(container: Container, limits: Limits): Promise<Book> {
  await assertOpen(container);
  const rootfile = descendantsOf((await container.xml('META-INF/container.xml')) ?? undefined, 'rootfile')[0];
  const path = rootfile?.attributes['full-path'] ?? container.paths.find((name) => name.endsWith('.opf'));
  const root = path === undefined ? null : await container.xml(path);
  if (path === undefined || root === null) throw new SourceError('file_damaged', 'The book has no list of chapters.');
  const child = (...names: string[]) => names.map((name) => childOf(root, name)).find((found) => found !== undefined);
  const metadata = child('metadata', 'opf:metadata');
  const items = new Map(
    named(child('manifest', 'opf:manifest'), 'item').map(({ attributes }) => [attributes.id ?? '', attributes]),
  );
  const pathOf = (href: string | undefined) => pathIn(posix.dirname(path), href ?? '');
  const nav = [...items.values()].find(({ properties }) => (properties ?? '').split(/\s+/).includes('nav'));
  const ncx = [...items.values()].find((item) => item['media-type'] === 'application/x-dtbncx+xml');
  const contents = new Set(
    named(child('guide', 'opf:guide'), 'reference')
      .filter(({ attributes }) => attributes.type === 'toc')
      .map(({ attributes }) => pathOf(attributes.href)),
  );
  if (nav !== undefined) contents.add(pathOf(nav.href));
  const valuesOf = (name: string) =>
    descendantsOf(metadata, `dc:${name}`)
      .map((entry) => textOf(entry).trim())
      .filter(Boolean);
  const date = valuesOf('date').find((text) => /^\d{4}(?:-\d\d(?:-\d\d)?)?/.test(text));
  return {
    title: valuesOf('title')[0]?.replace(/\s+/g, ' ') ?? null,
    author: valuesOf('creator').join(', ') || null,
    language: valuesOf('language')[0] ?? null,
    publishedAt: date === undefined || date.startsWith('0') ? null : date,
    chapters: named(child('spine', 'opf:spine'), 'itemref')
      .map(({ attributes }) => pathOf(textItem(items, attributes.idref)?.href))
      .filter((chapter) => chapter !== '' && !contents.has(chapter)),
    labels:
      nav === undefined
        ? ncxLabels(
            ncx === undefined ? null : await container.xml(pathOf(ncx.href)).catch(() => null),
            pathOf(ncx?.href),
          )
        : await navLabels(container, pathOf(nav.href), limits),
  };
}

type Item = XmlElement['attributes'];

/** The text item of this id, or its text fallback where the item is an image, for example; undefined for neither. */
function textItem(items: ReadonlyMap<string, Item>, id = ''): Item | undefined {
  const item = items.get(id);
  const isText = (type = '') => type === '' || /^(?!image\/).*(?:html|xml|text)/.test(type);
  if (item === undefined || isText(item['media-type'])) return item;
  const fallback = items.get(item.fallback ?? '');
  return isText(fallback?.['media-type']) ? fallback : undefined;
}

/** The path in the container, without a fragment, for a reference from a file in `folder`. */
export function pathIn(folder: string, href: string): string {
  const file = href.split('#')[0] ?? '';
  if (file === '') return '';
  const joined = posix.normalize(posix.join(folder, file));
  try {
    return decodeURIComponent(joined);
  } catch {
    return joined;
  }
}

async function assertOpen(container: Container): Promise<void> {
  const encryption = await container.xml('META-INF/encryption.xml');
  const isProtected = elementsOf(encryption ?? undefined).some((entry) => {
    const method = elementsOf(entry).find(({ name }) => /(?:^|:)EncryptionMethod$/.test(name));
    return /(?:^|:)EncryptedData$/.test(entry.name) && !fontAlgorithms.has(method?.attributes.Algorithm ?? '');
  });
  if (isProtected) throw new SourceError('file_encrypted', 'The book has copy protection (DRM).');
}

function named(parent: XmlElement | undefined, name: string): XmlElement[] {
  return elementsOf(parent).filter((element) => element.name === name || element.name === `opf:${name}`);
}

function ncxLabels(ncx: XmlElement | null, path: string): Map<string, string> {
  const labels = new Map<string, string>();
  for (const point of descendantsOf(ncx ?? undefined, 'navPoint')) {
    const file = pathIn(posix.dirname(path), childOf(point, 'content')?.attributes.src ?? '');
    const label = textOf(childOf(point, 'navLabel', 'text'))
      .replace(/\s+/g, ' ')
      .trim();
    if (label !== '' && !labels.has(file)) labels.set(file, label);
  }
  return labels;
}

async function navLabels(container: Container, path: string, limits: Limits): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  const bytes = await container.bytes(path);
  if (bytes === null) return labels;
  const document = fragmentDocument(decodeText(bytes, charsetOfHtml(bytes)).text, null, limits);
  for (const link of document.querySelectorAll('nav a[href]')) {
    const file = pathIn(posix.dirname(path), link.getAttribute('href') ?? '');
    const label = (link.textContent ?? '').replace(/\s+/g, ' ').trim();
    if (label !== '' && !labels.has(file)) labels.set(file, label);
  }
  return labels;
}
