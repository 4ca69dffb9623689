/** Builds the blocks of an RTF document: paragraphs, headings, lists, tables, notes. */
import { append } from '../../append.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { cleanAltText } from '../document/alt-text.ts';
import type { Block, ItemLabel, Note } from '../document/blocks.ts';
import { isVisible, noMarks, plainTextOf } from '../document/blocks.ts';
import type { LeftOut } from '../document/left-out.ts';
import { scripted } from '../document/scripts.ts';
import { characters, marksOf, withMark } from './characters.ts';
import { hyperlinkOf, isContents } from './fields.ts';
import type { CellDefinition } from './rows.ts';
import {
  type Drawing,
  type Flow,
  type GroupState,
  newFlow,
  type ParagraphState,
  plainParagraph,
  type Style,
} from './state.ts';

/** Limit of nested tables. */
const maxTableDepth = 20;

export class RtfBuilder {
  readonly #limits: Limits;
  readonly #leftOut: LeftOut;
  readonly #charsets = new Map<number, number>();
  readonly #styles = new Map<number, Style>();
  readonly #notes: Note[] = [];
  readonly #flows: Flow[] = [];
  #flow: Flow;
  #paragraph: ParagraphState = { ...plainParagraph };
  #paragraphs: ParagraphState[] = [];
  #definitions: CellDefinition[] = [];
  #pending: Omit<CellDefinition, 'right'> = { continuesLeft: false, continuesAbove: false };
  /** Cell definitions of the outer row while a nested row is defined. */
  #outer: CellDefinition[] | null = null;
  #cells = 0;
  #captured = '';
  #font = 0;
  #style: Style & { number: number } = { number: 0, level: null, isTitle: false };
  #properties: { title: string | null; author: string | null; created: Map<string, number> } = {
    title: null,
    author: null,
    created: new Map(),
  };

  constructor(limits: Limits, leftOut: LeftOut) {
    this.#limits = limits;
    this.#leftOut = leftOut;
    this.#flow = this.#newFlow();
  }

  #newFlow(): Flow {
    return newFlow((more, merged) => this.#countCells(more, merged));
  }

  charsetOf(font: number): number | null {
    return this.#charsets.get(font) ?? null;
  }

  text(text: string, group: GroupState): void {
    if (group.destination === 'capture') this.#capture(text, group.name);
    else if (group.destination === 'text' && group.hidden) this.#leftOut.add('hidden_text');
    else if (group.destination === 'text' && group.deleted) this.#leftOut.add('tracked_deletions');
    else if (group.destination === 'text') {
      const shown = group.script === null ? text : scripted(text, group.script);
      this.#flow.content.push({ kind: 'text', text: shown, marks: group.marks, href: group.field?.href ?? null });
    }
  }

  /** A control word within the document's text. */
  word(name: string, value: number | null, group: GroupState): void {
    const character = characters[name];
    const mark = marksOf[name];
    if (mark !== undefined) group.marks = withMark(group.marks, mark, value !== 0);
    else if (name === 'cell') this.#endCell(1);
    else if (name === 'nestcell') this.#endCell(Math.max(2, this.#paragraph.depth));
    else if (character !== undefined) this.text(character, group);
    else if (name === 'par' || name === 'sect') this.#endParagraph();
    else if (name === 'line') this.#flow.content.push({ kind: 'break' });
    else if (name === 'page') this.#flow.content.push({ kind: 'page', hard: true });
    else if (name === 'plain') Object.assign(group, { marks: noMarks, hidden: false, deleted: false, script: null });
    else if (name === 'v') group.hidden = value !== 0;
    else if (name === 'deleted' || name === 'mvf') group.deleted = value !== 0;
    else if (name === 'super' || name === 'sub') group.script = value === 0 ? null : name;
    else if (name === 'nosupersub') group.script = null;
    else if (name === 'field') group.field = { href: null, isContents: false };
    else if (name === 'pard') this.#paragraph = { ...plainParagraph };
    else if (name === 's') this.#paragraph.style = value ?? 0;
    else if (name === 'outlinelevel') this.#paragraph.outline = value ?? 0;
    else if (name === 'intbl') this.#paragraph.depth = Math.max(1, this.#paragraph.depth);
    else if (name === 'itap') this.#paragraph.depth = Math.min(maxTableDepth, Math.max(0, value ?? 0));
    else if (name === 'ilvl') this.#paragraph.listLevel = Math.min(8, Math.max(0, value ?? 0));
    else this.#tableWord(name, value);
  }

  #tableWord(name: string, value: number | null): void {
    if (name === 'trowd') {
      this.#definitions = [];
      this.#pending = { continuesLeft: false, continuesAbove: false };
    } else if (name === 'clmrg') this.#pending.continuesLeft = true;
    else if (name === 'clvmrg') this.#pending.continuesAbove = true;
    else if (name === 'cellx') {
      this.#definitions.push({ right: value ?? 0, ...this.#pending });
      this.#pending = { continuesLeft: false, continuesAbove: false };
    } else if (name === 'nesttableprops') this.#outer = this.#definitions;
    else if (name === 'row') {
      this.#flow.tables.endRow(1, this.#definitions);
      this.#paragraph.depth = 0;
    } else if (name === 'nestrow') {
      this.#flow.tables.endRow(Math.max(2, this.#paragraph.depth), this.#definitions);
      this.#definitions = this.#outer ?? this.#definitions;
      this.#outer = null;
    }
  }

  #endParagraph(): void {
    const flow = this.#flow;
    const block = this.#blockOf(flow);
    flow.content = [];
    flow.listText = null;
    append(flow.blocks, flow.tables.place(block, this.#paragraph.depth));
  }

  #blockOf({ content, listText }: Flow): Block[] {
    if (!content.some(isVisible) && !content.some(({ kind }) => kind === 'page')) return [];
    const { outline, style, listLevel } = this.#paragraph;
    const named = style === null ? undefined : this.#styles.get(style);
    if (named?.isTitle === true) this.#properties.title ??= plainTextOf(content).trim() || null;
    const level = outline !== null && outline < 9 ? outline : (named?.level ?? null);
    if (level !== null)
      return [{ kind: 'heading', level: named?.isTitle === true ? 0 : Math.min(5, level) + 1, content }];
    if (listText === null) return [{ kind: 'paragraph', content }];
    return [{ kind: 'item', level: listLevel, label: labelOf(listText), content }];
  }

  #endCell(depth: number): void {
    this.#paragraph.depth = depth;
    this.#endParagraph();
    this.#flow.tables.endCell(depth);
    this.#countCells(1, 0);
  }

  #countCells(more: number, merged: number): void {
    this.#cells += more;
    assertWithin(this.#limits, 'cells', this.#cells);
    this.#leftOut.add('merged_cells', merged);
  }

  /** Ends a picture or shape. */
  endDrawing({ hasPicture, alt }: Drawing): void {
    if (hasPicture && alt !== '') this.#flow.content.push({ kind: 'image', alt, source: 'image' });
    else if (hasPicture) this.#leftOut.add('images_without_text');
  }

  #finishedBlocks(): Block[] {
    const { blocks, tables } = this.#flow;
    return [...blocks, ...tables.closeBeyond(0)];
  }

  beginNote(): void {
    this.#flows.push(this.#flow);
    this.#paragraphs.push(this.#paragraph);
    this.#flow = this.#newFlow();
    this.#paragraph = { ...plainParagraph };
  }

  endNote(group: GroupState): void {
    this.#endParagraph();
    const blocks = this.#finishedBlocks();
    this.#flow = this.#flows.pop() ?? this.#newFlow();
    this.#paragraph = this.#paragraphs.pop() ?? { ...plainParagraph };
    if (blocks.length === 0 || group.destination !== 'text') return;
    const label = String(this.#notes.length + 1);
    this.#notes.push({ label, blocks });
    this.#flow.content.push({ kind: 'note', label });
  }

  beginCapture(): void {
    this.#captured = '';
  }

  #capture(text: string, name: string): void {
    this.#captured += text;
    if (name !== 'stylesheet' || !text.includes(';')) return;
    const styleName = this.#captured.replace(/;.*$/s, '').trim();
    const numbered = /^(?:heading|überschrift|titre|título|titolo|kop|rubrik|заголовок|見出し|标题)\s*(\d)/i.exec(
      styleName,
    )?.[1];
    const isTitle = /^(?:title|titel|titre|título)$/i.test(styleName);
    const level = this.#style.level ?? (numbered !== undefined ? Number(numbered) - 1 : isTitle ? 0 : null);
    this.#styles.set(this.#style.number, { level, isTitle });
    this.#captured = '';
    this.#style = { number: 0, level: null, isTitle: false };
  }

  /** A control word within a captured destination. */
  captureWord(destination: string, name: string, value: number | null): void {
    if (destination === 'fonttbl') {
      if (name === 'f') this.#font = value ?? 0;
      if (name === 'fcharset') this.#charsets.set(this.#font, value ?? 0);
    } else if (destination === 'stylesheet') {
      if (name === 's') this.#style.number = value ?? 0;
      // Character and table styles have separate numbers.
      if (name === 'cs' || name === 'ts' || name === 'ds') this.#style.number = -1;
      if (name === 'outlinelevel' && (value ?? 9) < 9) this.#style.level = value ?? 0;
    } else if (destination === 'creatim') this.#properties.created.set(name, value ?? 0);
    else this.#captured += characters[name] ?? '';
  }

  endCapture(name: string, group: GroupState): void {
    const text = this.#captured;
    this.#captured = '';
    if (name === 'title') this.#properties.title ??= text.trim() || null;
    else if (name === 'author') this.#properties.author ??= text.trim() || null;
    else if (name === 'fldinst' && group.field !== null) {
      group.field.href = hyperlinkOf(text);
      group.field.isContents = isContents(text);
    } else if (name === 'sn' && group.drawing !== null) group.drawing.property = text.trim();
    else if (name === 'sv' && group.drawing?.property === 'wzDescription') group.drawing.alt = cleanAltText(text);
    else if (name === 'pntext' || name === 'listtext') this.#flow.listText = text.trim();
  }

  finish(): { blocks: Block[]; notes: Note[]; title: string | null; author: string | null; createdAt: string | null } {
    this.#endParagraph();
    const blocks = this.#finishedBlocks();
    const { title, author, created } = this.#properties;
    const [year, month, day] = ['yr', 'mo', 'dy'].map((name) => created.get(name) ?? 0);
    const date = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
    const createdAt = Number.isNaN(Date.parse(date)) || (year ?? 0) < 1900 ? null : date;
    return { blocks: withTitleAbove(blocks), notes: this.#notes, title, author, createdAt };
  }
}

/** The blocks with headings one level deeper where there is a title. */
function withTitleAbove(blocks: Block[]): Block[] {
  const isTitled = blocks.some((block) => block.kind === 'heading' && block.level === 0);
  return blocks.map((block) => (block.kind === 'heading' && isTitled ? { ...block, level: block.level + 1 } : block));
}

function labelOf(text: string): ItemLabel {
  const number = /^(\d{1,9})([.)])$/.exec(text);
  if (number !== null) return { kind: 'number', number: Number(number[1]), delimiter: number[2] === ')' ? ')' : '.' };
  return /[\p{L}\p{N}]/u.test(text) && text.length > 1 ? { kind: 'literal', text } : { kind: 'bullet' };
}
