/** A Word document -> Markdown. */
import { posix } from 'node:path';
import type { Reading } from '../../../content.ts';
import type { Limits } from '../../../limits.ts';
import { type Note, withTitleAbove } from '../../document/blocks.ts';
import { createLeftOut } from '../../document/left-out.ts';
import { writeDocument } from '../../document/write.ts';
import { childOf, elementsOf, type XmlElement } from '../../xml/parse.ts';
import { drawingsOf, mainPart, openPackage, type Package, propertiesOf, type Relationships } from '../package.ts';
import { hasOwnText, readBlocks } from './body.ts';
import { readNumbering } from './numbering.ts';
import type { WordPart } from './part.ts';
import { readStyles } from './styles.ts';

type NoteKind = 'footnote' | 'endnote';

/** Reads a DOCX. @throws SourceError `file_encrypted`, `file_damaged`, `extraction_limit` */
export async function readWord(bytes: Uint8Array, limits: Limits): Promise<Reading> {
  const opened = await openPackage(bytes, limits);
  const path = await mainPart(opened, 'word/document.xml');
  const [document, relationships] = [await opened.part(path), await opened.relationships(path)];
  const related = (type: string) => relatedPart(opened, relationships, type, path);
  const styles = readStyles(await related('styles'));
  const leftOut = createLeftOut();
  const referred: { kind: NoteKind; id: string; label: string }[] = [];
  const noteRoots = { footnote: await related('footnotes'), endnote: await related('endnotes') };
  const notes = { footnote: notesById(noteRoots.footnote), endnote: notesById(noteRoots.endnote) };

  const part: WordPart = {
    styles,
    numbering: readNumbering(await related('numbering'), styles),
    relationships,
    drawings: await drawingsOf(opened, relationships),
    leftOut,
    limits,
    counted: { cells: 0 },
    fields: [],
    noteLabel(kind, id) {
      if (!notes[kind].has(id)) return null;
      const known = referred.find((one) => one.kind === kind && one.id === id);
      if (known !== undefined) return known.label;
      const label = String(referred.length + 1);
      referred.push({ kind, id, label });
      return label;
    },
    readBlocks,
  };
  const body = childOf(document ?? undefined, 'w:body');
  const blocks = body === undefined ? [] : withTitleAbove(readBlocks(body, part));

  const written: Note[] = [];
  for (const { kind, id, label } of referred) {
    const note = notes[kind].get(id);
    const target = [...relationships.values()].find(({ type }) => type === `${kind}s`)?.target;
    if (note === undefined) continue;
    const own = target === undefined ? relationships : await opened.relationships(target);
    const inNote: WordPart = { ...part, relationships: own, fields: [], noteLabel: () => null };
    written.push({ label, blocks: readBlocks(note, inNote) });
  }
  await countLeftOut(opened, relationships, part);

  const { markdown, starts } = writeDocument(blocks, written);
  const { title, language, about } = await propertiesOf(opened);
  return {
    markdown,
    title,
    languageHint: language,
    about,
    ...(starts === null ? {} : { parts: { unit: 'page', starts } }),
    warnings: leftOut.warnings(),
  };
}

/** The part that a relationship of this type refers to, else the part with the usual name. */
async function relatedPart(
  opened: Package,
  relationships: Relationships,
  type: string,
  path: string,
): Promise<XmlElement | null> {
  const target = [...relationships.values()].find((one) => one.type === type && !one.external)?.target;
  return opened.part(target ?? posix.join(posix.dirname(path), `${type}.xml`));
}

/** Notes by id, without the separator lines between text and notes. */
function notesById(root: XmlElement | null): Map<string, XmlElement> {
  const notes = new Map<string, XmlElement>();
  for (const note of elementsOf(root ?? undefined)) {
    const { 'w:id': id, 'w:type': type = 'normal' } = note.attributes;
    if (id !== undefined && type === 'normal') notes.set(id, note);
  }
  return notes;
}

async function countLeftOut(opened: Package, relationships: Relationships, { leftOut }: WordPart): Promise<void> {
  for (const { type, target, external } of relationships.values()) {
    if (external) continue;
    if (type === 'comments')
      leftOut.add('comments', elementsOf((await opened.part(target)) ?? undefined, 'w:comment').length);
    if ((type === 'header' || type === 'footer') && hasOwnText(await opened.part(target)))
      leftOut.add('headers_and_footers');
  }
}
