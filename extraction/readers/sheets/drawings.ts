/** Drawings above the cells of an XLSX workbook, by sheet name. */
import { posix } from 'node:path';
import type { Container } from '../../detection/containers/zip.ts';
import { cleanAltText } from '../document/alt-text.ts';
import { alternativeOf } from '../ooxml/package.ts';
import { childOf, descendantsOf, elementsOf, textOf, type XmlElement } from '../xml/parse.ts';
import { withKnownPrefixes } from '../xml/prefixes.ts';
import type { Drawings } from './sheet.ts';

type Relation = { id: string; type: string; path: string };

/** Chart titles, texts of boxes and descriptions of images. Sheets without drawings are not in the map. */
export async function drawingsOf(container: Container): Promise<Map<string, Drawings>> {
  const found = new Map<string, Drawings>();
  if (!container.paths.some((path) => /^xl\/drawings\//i.test(path))) return found;
  const book = await partOf(container, 'xl/workbook.xml');
  const bookRelations = await relationsOf(container, 'xl/workbook.xml');
  for (const sheet of descendantsOf(book, 'sheet')) {
    const { name, 'r:id': id } = sheet.attributes;
    const path = bookRelations.find((relation) => relation.id === id)?.path;
    if (name === undefined || path === undefined) continue;
    for (const { type, path: drawing } of await relationsOf(container, path)) {
      if (type.endsWith('/drawing')) found.set(name, await readDrawing(container, drawing));
    }
  }
  return found;
}

async function partOf(container: Container, path: string): Promise<XmlElement | undefined> {
  const root = await container.xml(path);
  return root === null ? undefined : withKnownPrefixes(root);
}

async function readDrawing(container: Container, path: string): Promise<Drawings> {
  const root = await partOf(container, path);
  const relations = await relationsOf(container, path);
  const chartTitles: string[] = [];
  for (const { type, path: chart } of relations.filter((relation) => /\/chart(?:Ex)?$/.test(relation.type))) {
    chartTitles.push(titleOf(await partOf(container, chart), type.endsWith('Ex') ? 'cx' : 'c'));
  }
  return {
    chartTitles,
    texts: shown(root, 'xdr:txBody')
      .map((body) => paragraphs(body).join('\n\n'))
      .filter((text) => text !== ''),
    imageTexts: shown(root, 'xdr:pic').map((picture) =>
      cleanAltText(childOf(picture, 'xdr:nvPicPr', 'xdr:cNvPr')?.attributes.descr),
    ),
  };
}

/** Elements of this name that Excel shows, without fallbacks for older programs such as "this is a slicer". */
function shown(root: XmlElement | undefined, name: string): XmlElement[] {
  return elementsOf(root).flatMap((child) => {
    const seen = child.name === 'mc:AlternateContent' ? alternativeOf(child) : child;
    return seen?.name === name ? [seen] : shown(seen, name);
  });
}

function titleOf(chart: XmlElement | undefined, prefix: string): string {
  const title = childOf(chart, `${prefix}:chart`, `${prefix}:title`);
  const written = paragraphs(title).join(' ');
  // A title may refer to a cell, whose text is stored with the reference.
  return written === '' ? descendantsOf(title, 'c:v').map(textOf).join(' ').trim() : written;
}

function paragraphs(root: XmlElement | undefined): string[] {
  return descendantsOf(root, 'a:p')
    .map((paragraph) => descendantsOf(paragraph, 'a:t').map(textOf).join('').trim())
    .filter((text) => text !== '');
}

/** The relationships of a part, with paths from the package's root. */
async function relationsOf(container: Container, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const relations = await container.xml(`${folder}/_rels/${posix.basename(part)}.rels`);
  return descendantsOf(relations ?? undefined, 'Relationship').map(({ attributes }) => {
    const target = attributes.Target ?? '';
    const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
    return { id: attributes.Id ?? '', type: attributes.Type ?? '', path };
  });
}
