/** The common model of DOCX, PPTX, ODT, ODP and RTF content, which is then written as Markdown. */

export type Mark = 'bold' | 'italic' | 'strike' | 'code';

export type Inline =
  /** `href` is null for text without a link. Text is not escaped yet. */
  | { kind: 'text'; text: string; marks: ReadonlySet<Mark>; href: string | null }
  | { kind: 'image'; alt: string; source: string }
  /** LaTeX on one line, without dollar signs; `display` for a formula in a paragraph of its own. */
  | { kind: 'formula'; latex: string; display: boolean }
  /** A reference to a footnote or endnote. */
  | { kind: 'note'; label: string }
  | { kind: 'break' }
  /**
   * Start of a page. `hard`: the author inserted the break. Otherwise the program last broke the text here, which
   * counts
   * only where there is content since the last page started.
   */
  | { kind: 'page'; hard: boolean };

export type ItemLabel =
  | { kind: 'bullet' }
  | { kind: 'number'; number: number; delimiter: '.' | ')' }
  /** A label that Markdown lists cannot have: "(a)", "1.2", "IV." */
  | { kind: 'literal'; text: string };

export interface Cell {
  blocks: Block[];
  /** Columns that the cell covers. */
  columns: number;
  /** Part of the merged cell above it; shown empty. */
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

/** A label as text before a heading: "1.", "(a)"; empty for a bullet. */
export function labelText(label: ItemLabel): string {
  if (label.kind === 'number') return `${label.number}${label.delimiter}`;
  return label.kind === 'literal' ? label.text : '';
}

/** The visible lines as one content, with breaks between them. */
export function joinedLines(lines: readonly Inline[][]): Inline[] {
  const visible = lines.filter((line) => line.some(isVisible));
  return visible.flatMap((line, at): Inline[] => (at === 0 ? line : [{ kind: 'break' }, ...line]));
}

/** False for white space, breaks and page starts. */
export function isVisible(inline: Inline): boolean {
  if (inline.kind === 'text') return inline.text.trim() !== '';
  return inline.kind !== 'break' && inline.kind !== 'page';
}

/** The text of a paragraph without marks and images. */
export function plainTextOf(content: readonly Inline[]): string {
  return content.map((inline) => (inline.kind === 'text' ? inline.text : inline.kind === 'break' ? '\n' : '')).join('');
}

/** The blocks with headings one level deeper where the first heading is a title. */
export function withTitleAbove(blocks: Block[]): Block[] {
  const joined = joinTitles(blocks);
  const first = joined.find(({ kind }) => kind === 'heading');
  const deeper = first?.kind === 'heading' && first.level === 0 ? 1 : 0;
  return joined.map((block) => (block.kind === 'heading' ? { ...block, level: block.level + deeper } : block));
}

/** Joins the paragraphs of a title of several lines. */
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
