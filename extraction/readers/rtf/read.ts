/** An RTF document -> blocks. */
import type { ReadingWarning } from '../../../contract/extraction.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import type { Block, Note } from '../document/blocks.ts';
import { createLeftOut } from '../document/left-out.ts';
import { RtfBuilder } from './builder.ts';
import { encodingOfCharset, encodingOfCodePage } from './encodings.ts';
import { type GroupState, plainGroup } from './state.ts';
import { rtfTokens } from './tokens.ts';

export interface RtfDocument {
  blocks: Block[];
  notes: Note[];
  title: string | null;
  author: string | null;
  /** ISO 8601 date. */
  createdAt: string | null;
  warnings: ReadingWarning[];
}

/** Destinations whose text is not shown. */
const skipped = new Set(
  'colortbl filetbl listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl mmathPr header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn nonshppict objdata shprslt nonesttables annotation tc tcl xe bkmkstart bkmkend atnauthor atnid atnref atndate atntime atnparent atnicn datafield formfield pgptbl wgrffmtfilter userprops docvar operator company manager doccomm keywords subject category comment'.split(
    ' ',
  ),
);
const captured = new Set([
  'fonttbl',
  'stylesheet',
  'title',
  'author',
  'creatim',
  'fldinst',
  'pntext',
  'listtext',
  'sn',
  'sv',
]);
/** Optional destinations with text of the document. */
const known = new Set([
  'shppict',
  'shpinst',
  'shptxt',
  'footnote',
  'annotation',
  'picprop',
  'nesttableprops',
  'ud',
  ...captured,
]);

/** @throws SourceError `extraction_limit` for groups nested beyond `nesting` and tables beyond `cells` */
export function readRtf(source: string, limits: Limits): RtfDocument {
  const leftOut = createLeftOut();
  const builder = new RtfBuilder(limits, leftOut);
  const stack: GroupState[] = [];
  let group: GroupState = { ...plainGroup };
  let bytes: number[] = [];
  let encoding = 'windows-1252';
  let optional = false;
  /** Number of bytes or characters still to skip after a \u. */
  let toSkip = 0;

  function flush(): void {
    if (bytes.length === 0) return;
    const charset = group.font === null ? null : builder.charsetOf(group.font);
    const label = (charset === null ? null : encodingOfCharset(charset)) ?? encoding;
    builder.text(new TextDecoder(label).decode(Uint8Array.from(bytes)), group);
    bytes = [];
  }

  function close(): void {
    flush();
    const ended = group;
    group = stack.pop() ?? { ...plainGroup };
    if (ended.destination === 'capture' && (group.destination !== 'capture' || group.name !== ended.name)) {
      builder.endCapture(ended.name, group);
    }
    if (ended.opensNote) builder.endNote(group);
    if (ended.opensDrawing && ended.drawing !== null) builder.endDrawing(ended.drawing);
  }

  /** Begins a picture or shape. Of nested ones only the outermost counts. */
  function beginDrawing(isPicture: boolean): void {
    if (group.drawing === null) {
      group.drawing = { hasPicture: false, property: '', alt: '' };
      group.opensDrawing = true;
    }
    if (!isPicture) return;
    group.drawing.hasPicture = true;
    group.destination = 'skip';
  }

  function word(name: string, value: number | null): void {
    if (name === 'u') {
      flush();
      const unit = ((value ?? 0) + 65_536) % 65_536;
      builder.text(String.fromCharCode(unit), group);
      toSkip = group.unicodeSkip;
      return;
    }
    if (name === 'ansicpg') encoding = encodingOfCodePage(value ?? 1252);
    if (name === 'mac') encoding = 'macintosh';
    if (toSkip > 0 && (name === 'nbsp' || name === 'tab')) {
      toSkip -= 1;
      return;
    }
    flush();
    if (optional && !known.has(name)) group.destination = 'skip';
    optional = false;
    if (name === 'uc') group.unicodeSkip = Math.min(16, Math.max(0, value ?? 1));
    if (name === 'picprop' && group.drawing !== null) group.destination = 'text';
    if (group.destination === 'skip') return;
    // The object's stored result, which may be text, follows.
    if (name === 'object') leftOut.add('embedded_objects');
    if (name === 'pict' || name === 'shpinst') {
      beginDrawing(name === 'pict');
      return;
    }
    if (name === 'fldrslt' && group.field?.isContents === true) {
      leftOut.add('table_of_contents');
      group.destination = 'skip';
      return;
    }
    if (skipped.has(name)) {
      if (name === 'annotation') leftOut.add('comments');
      group.destination = 'skip';
    } else if (captured.has(name)) {
      Object.assign(group, { destination: 'capture', name });
      builder.beginCapture();
    } else if (name === 'footnote') {
      group.opensNote = true;
      group.destination = 'text';
      builder.beginNote();
    } else if (group.destination === 'capture') builder.captureWord(group.name, name, value);
    else builder.word(name, value, group);
    if (name === 'f' && value !== null) group.font = value;
  }

  for (const token of rtfTokens(source)) {
    if (token.kind === 'byte') {
      if (toSkip > 0) toSkip -= 1;
      else if (group.destination !== 'skip') bytes.push(token.value);
      continue;
    }
    if (token.kind === 'optional') optional = true;
    else if (token.kind === 'word') word(token.name, token.value);
    else if (token.kind === 'close') {
      toSkip = 0;
      close();
    } else {
      flush();
      toSkip = 0;
      optional = false;
      stack.push(group);
      assertWithin(limits, 'nesting', stack.length);
      group = { ...group, opensNote: false, opensDrawing: false };
    }
  }
  const isOpen = stack.length > 0;
  while (stack.length > 0) close();
  flush();
  const document = builder.finish();
  const warnings = leftOut.warnings();
  if (isOpen)
    warnings.push({ code: 'incomplete', message: 'The file is incomplete; only its existing part was read.' });
  return { ...document, warnings };
}
