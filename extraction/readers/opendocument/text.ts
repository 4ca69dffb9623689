/** An OpenDocument text -> Markdown. */
import type { Reading } from '../../content.ts';
import type { Limits } from '../../limits.ts';
import { withTitleAbove } from '../document/blocks.ts';
import { createLeftOut } from '../document/left-out.ts';
import { writeDocument } from '../document/write.ts';
import { descendantsOf, textOf, type XmlElement } from '../xml/parse.ts';
import { readBlocks } from './body.ts';
import { bodyOf, type OpenDocument, openDocument } from './package.ts';
import type { Part } from './part.ts';
import { readStyles } from './styles.ts';

/** Reads an ODT. @throws SourceError `file_encrypted`, `file_damaged`, `extraction_limit` */
export async function readText(bytes: Uint8Array, limits: Limits): Promise<Reading> {
  const opened = await openDocument(bytes, limits);
  const part = createPart(opened, limits);
  const blocks = withTitleAbove(readBlocks(bodyOf(opened, 'office:text'), part));
  part.leftOut.add('headers_and_footers', countHeaders(opened.styles));
  const { markdown, starts } = writeDocument(blocks, part.notes);
  const { title, language, about } = opened;
  return {
    markdown,
    title,
    languageHint: language,
    about,
    ...(starts === null ? {} : { parts: { unit: 'page', starts } }),
    warnings: part.leftOut.warnings(),
  };
}

/** The initial state. */
export function createPart(opened: OpenDocument, limits: Limits): Part {
  return {
    styles: readStyles(opened.content, opened.styles),
    objects: opened.objects,
    leftOut: createLeftOut(),
    limits,
    counted: { cells: 0 },
    outline: [],
    lists: new Map(),
    notes: [],
    readBlocks,
  };
}

/** Number of headers and footers with text other than fields, such as the page number. */
function countHeaders(styles: XmlElement | null): number {
  const root = styles ?? undefined;
  const all = [...descendantsOf(root, 'style:header'), ...descendantsOf(root, 'style:footer')];
  return all.filter((element) => /\p{L}/u.test(textOf(element))).length;
}
