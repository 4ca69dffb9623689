/** Table of sources, redrawn in place on a terminal; where the output is no terminal, one line per change. */
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Outputs } from '../../../client/index.ts';

/** A source as in the list. */
export type Source = Outputs['sources']['list']['data'][number];

const columns = ['name', 'type', 'status', 'gen', 'stage', 'postback'] as const;
type Row = Record<(typeof columns)[number], string>;

const DASH = '-';
/** Keeps a line of the table below 80 characters. */
const MAX_NAME_CHARACTERS = 25;
const colours = { COMPLETED: 'green', FAILED: 'red', CANCELED: 'yellow', PROCESSING: 'cyan' } as const;

function rowOf(source: Source): Row {
  const { name } = source;
  return {
    name: name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS - 3)}...` : name,
    type: source.type,
    status: source.status,
    gen: String(source.generation),
    stage: source.progress?.stage ?? DASH,
    postback: source.postback?.state ?? DASH,
  };
}

function colourOf(status: string): 'green' | 'red' | 'yellow' | 'cyan' | 'none' {
  return Object.entries(colours).find(([name]) => name === status)?.[1] ?? 'none';
}

export class Screen {
  readonly #stream = process.stdout;
  readonly #startedAt = Date.now();
  readonly #lastLines = new Map<string, string>();
  #rows: Row[] = [];
  #drawnLines = 0;

  /** Prints a line above the table. */
  say(line: string): void {
    this.#erase();
    this.#stream.write(`${line}\n`);
    this.#draw();
  }

  /** Shows the sources in the given order. */
  show(sources: readonly Source[]): void {
    this.#rows = sources.map(rowOf);
    if (this.#stream.isTTY) {
      this.#erase();
      this.#draw();
      return;
    }
    sources.forEach((source, index) => {
      const row = this.#rows[index];
      if (row === undefined) return;
      const { name, type, status, stage, postback } = row;
      const line = `${name} (${type}): ${status}, generation ${row.gen}, stage ${stage}, postback ${postback}`;
      if (this.#lastLines.get(source.id) === line) return;
      this.#lastLines.set(source.id, line);
      this.#stream.write(`  ${((Date.now() - this.#startedAt) / 1000).toFixed(1).padStart(5)} s  ${line}\n`);
    });
  }

  /** Leaves the table in place; later lines are printed below it. */
  finish(): void {
    this.#drawnLines = 0;
    this.#rows = [];
  }

  #erase(): void {
    if (this.#drawnLines === 0) return;
    // Moves to the first line of the table and erases to the end of the screen.
    this.#stream.write(`\x1b[${this.#drawnLines}A\x1b[0J`);
    this.#drawnLines = 0;
  }

  #draw(): void {
    if (!this.#stream.isTTY || this.#rows.length === 0) return;
    const head: Row = { ...emptyRow, ...Object.fromEntries(columns.map((name) => [name, name.toUpperCase()])) };
    const widths = new Map(
      columns.map((name) => [name, Math.max(...[head, ...this.#rows].map((row) => row[name].length))]),
    );
    const cell = (row: Row, name: (typeof columns)[number]) => row[name].padEnd(widths.get(name) ?? 0);
    const line = (row: Row) =>
      columns
        .map((name) => (name === 'status' ? styleText(colourOf(row.status), cell(row, name)) : cell(row, name)))
        .join('  ');
    const lines = [styleText('bold', columns.map((name) => cell(head, name)).join('  ')), ...this.#rows.map(line)];
    this.#stream.write(`\n${lines.map((text) => `  ${text}\n`).join('')}`);
    const width = this.#stream.columns;
    const rowsOnScreen = lines.map((text) => Math.ceil((stripVTControlCharacters(text).length + 2) / width));
    this.#drawnLines = 1 + rowsOnScreen.reduce((sum, rows) => sum + rows, 0);
  }
}

const emptyRow: Row = { name: '', type: '', status: '', gen: '', stage: '', postback: '' };
