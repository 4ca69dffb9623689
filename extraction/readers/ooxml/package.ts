/** Open Packaging Conventions (ECMA-376 part 2): parts, relationships and core properties. */
import { posix } from 'node:path';
import { SourceError } from '../../../contract/errors.ts';
import type { DocumentAbout } from '../../../contract/extraction.ts';
import { compoundNames } from '../../detection/containers/cfb.ts';
import { type Container, openContainer } from '../../detection/containers/zip.ts';
import { foldedPath } from '../../detection/containers/zip-directory.ts';
import type { Limits } from '../../limits.ts';
import { timeOf, usableTitle } from '../document/properties.ts';
import { elementsOf, textOf, type XmlElement } from '../xml/parse.ts';
import { withKnownPrefixes } from '../xml/prefixes.ts';

export interface Relationship {
  /** The last segment of its type: "image", "hyperlink", "slide". */
  type: string;
  /** A path within the package, or an external URL. */
  target: string;
  external: boolean;
}
export type Relationships = ReadonlyMap<string, Relationship>;

export interface Package {
  container: Container;
  /** The root of a part with the prefixes of Office, or null where the part is missing. */
  part(path: string): Promise<XmlElement | null>;
  /** The relationships of a part by id; for "" those of the package. */
  relationships(path: string): Promise<Relationships>;
}

export interface Properties {
  title: string | null;
  language: string | null;
  about: Partial<DocumentAbout>;
}

/**
 * Opens an Office file. @throws SourceError `file_encrypted` for a file with a password, and as `openContainer`
 */
export async function openPackage(bytes: Uint8Array, limits: Limits): Promise<Package> {
  if (isEncryptedPackage(bytes)) throw new SourceError('file_encrypted', 'The document is protected with a password.');
  const container = await openContainer(bytes, limits);
  async function part(path: string): Promise<XmlElement | null> {
    const root = await container.xml(path);
    return root === null ? null : withKnownPrefixes(root);
  }
  return {
    container,
    part,
    async relationships(path) {
      const { dir, base } = posix.parse(path);
      const root = await part(posix.join(dir, '_rels', `${base}.rels`));
      const found = new Map<string, Relationship>();
      for (const { attributes } of elementsOf(root ?? undefined)) {
        const { Id: id, Type: type = '', Target: target = '', TargetMode: mode } = attributes;
        if (id === undefined) continue;
        const external = mode === 'External';
        const resolved = external ? target : posix.join(target.startsWith('/') ? '' : dir, target).replace(/^\/+/, '');
        found.set(id, { type: type.slice(type.lastIndexOf('/') + 1), target: resolved, external });
      }
      return found;
    },
  };
}

/** The path of the main part. @throws SourceError `file_damaged` where the main part is missing */
export async function mainPart(opened: Package, usual: string): Promise<string> {
  const paths = new Set(opened.container.paths.map(foldedPath));
  for (const { type, target } of (await opened.relationships('')).values()) {
    if (type === 'officeDocument' && paths.has(foldedPath(target))) return target;
  }
  if (paths.has(usual)) return usual;
  throw new SourceError('file_damaged', `The file has no ${posix.basename(usual)}, its main part.`);
}

/** Title, author, time of creation and language (core properties, part 2, clause 11). */
export async function propertiesOf(opened: Package): Promise<Properties> {
  const core = await opened.part('docProps/core.xml').catch(() => null);
  const text = (name: string): string | null => {
    const found = elementsOf(core ?? undefined).find((element) => element.name.replace(/^.*:/, '') === name);
    return textOf(found).replace(/\s+/g, ' ').trim() || null;
  };
  const created = text('created');
  const language = text('language');
  return {
    title: usableTitle(text('title')),
    language: language !== null && /^[a-z]{2,3}(?:-[\w-]+)?$/i.test(language) ? language : null,
    about: {
      author: text('creator'),
      publishedAt: timeOf(created),
    },
  };
}

/** True for a compound file with an encrypted package (MS-OFFCRYPTO 2.3). */
export function isEncryptedPackage(bytes: Uint8Array): boolean {
  return compoundNames(bytes).has('EncryptedPackage');
}

/** The root elements of a part's charts and diagrams, by relationship id. */
export async function drawingsOf(opened: Package, relationships: Relationships): Promise<Map<string, XmlElement>> {
  const drawings = new Map<string, XmlElement>();
  for (const [id, { type, target, external }] of relationships) {
    if (external || !['chart', 'chartEx', 'diagramData'].includes(type)) continue;
    const root = await opened.part(target);
    if (root !== null) drawings.set(id, root);
  }
  return drawings;
}

/** The alternative for current Office programs, else the fallback for older ones. */
export function alternativeOf(element: XmlElement): XmlElement | undefined {
  const choice = elementsOf(element, 'mc:Choice').find((one) => one.children.length > 0);
  return choice ?? elementsOf(element, 'mc:Fallback')[0];
}
