/** A word processor's or presentation's content before it is Markdown: what DOCX, PPTX, ODT and ODP have in common. */

export type Mark = 'bold' | 'italic' | 'strike' | 'code';

export type Inline =
  /** `href` is null for text that is no link. Texts stand as they are, not yet escaped. */
  | { kind: 'text'; text: string; marks: ReadonlySet<Mark>; href: string | null }
  | { kind: 'image'; alt: string; source: string }
  /** LaTeX on one line, without its dollars; `display` for a formula that has lines of its own. */
  | { kind: 'formula'; latex: string; display: boolean }
  /** A reference to a footnote or endnote. */
  | { kind: 'note'; label: string }
  | { kind: 'break' }
  /**
   * A page begins here. `hard`: the author said so; else it is where the program last broke the text, which counts
   * only where something stands between it and the last beginning.
   */
  | { kind: 'page'; hard: boolean };

export type ItemLabel =
  | { kind: 'bullet' }
  | { kind: 'number'; number: number; delimiter: '.' | ')' }
  /** What Markdown cannot number: "(a)", "1.2", "IV." */
  | { kind: 'literal'; text: string };

export interface Cell {
  blocks: Block[];
  /** Columns that the cell covers. */
  columns: number;
  /** It continues the cell above it, and is shown empty. */
  continues: boolean;
}

export type Block =
  | { kind: 'heading'; level: number; content: Inline[] }
  /** `within`: level of the list item that the paragraph belongs to. */
  | { kind: 'paragraph'; content: Inline[]; within?: number }
  /** Levels count from 0. */
  | { kind: 'item'; level: number; label: ItemLabel; content: Inline[] }
  | { kind: 'code'; text: string; language: string; within?: number }
  | { kind: 'quote'; blocks: Block[] }
  /** The first row is the header. */
  | { kind: 'table'; rows: Cell[][] }
  | { kind: 'rule' };

/** The text of a footnote or endnote. */
export interface Note {
  label: string;
  blocks: Block[];
}

export const noMarks: ReadonlySet<Mark> = new Set<Mark>();

/** A plain text. */
export function plain(text: string): Inline {
  return { kind: 'text', text, marks: noMarks, href: null };
}

/** A label as it stands before a heading: "1.", "(a)"; empty for a bullet. */
export function labelText(label: ItemLabel): string {
  if (label.kind === 'number') return `${label.number}${label.delimiter}`;
  return label.kind === 'literal' ? label.text : '';
}

/** Lines that say something as one content, with breaks between them. */
export function joinedLines(lines: readonly Inline[][]): Inline[] {
  const told = lines.filter((line) => line.some(isVisible));
  return told.flatMap((line, at): Inline[] => (at === 0 ? line : [{ kind: 'break' }, ...line]));
}

/** Whether anybody would see something of it. */
export function isVisible(inline: Inline): boolean {
  if (inline.kind === 'text') return inline.text.trim() !== '';
  return inline.kind !== 'break' && inline.kind !== 'page';
}

/** The texts of a paragraph alone. */
export function plainTextOf(content: readonly Inline[]): string {
  return content.map((inline) => (inline.kind === 'text' ? inline.text : inline.kind === 'break' ? '\n' : '')).join('');
}

/** Where a title comes before all headings, those are one level deeper. */
export function withTitleAbove(blocks: Block[]): Block[] {
  const joined = joinTitles(blocks);
  const first = joined.find(({ kind }) => kind === 'heading');
  const deeper = first?.kind === 'heading' && first.level === 0 ? 1 : 0;
  return joined.map((block) => (block.kind === 'heading' ? { ...block, level: block.level + deeper } : block));
}

/** A title of several lines may be as many paragraphs. */
function joinTitles(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    const isMore = block.kind === 'heading' && block.level === 0 && last?.kind === 'heading' && last.level === 0;
    if (isMore)
      joined[joined.length - 1] = { ...last, content: [...last.content, { kind: 'break' }, ...block.content] };
    else joined.push(block);
  }
  return joined;
}
