/** JSON -> Markdown: objects as headings and lists, lists of flat objects as tables. */

import { SourceError } from '../../../contract/errors.ts';
import { append } from '../../append.ts';
import type { Reading } from '../../content.ts';
import { assertWithin, type Limits } from '../../limits.ts';
import { escapeInline, fenced, tableOf } from '../../markdown/write.ts';
import { conversation } from './conversation.ts';
import type { TextFormat } from './format.ts';
import { ipynb } from './ipynb.ts';

/** Keys of deeper objects are bold text instead of headings. */
const maxHeadingDepth = 4;
const maxTableColumns = 12;

export const json: TextFormat = {
  kind: 'text',
  name: 'json',
  label: 'a JSON document',
  mediaTypes: [
    'application/json',
    'text/json',
    'application/geo+json',
    'application/x-ndjson',
    'application/jsonl',
    'application/json-lines',
  ],
  extensions: ['json', 'jsonl', 'ndjson', 'jsonc', 'geojson'],
  parser: null,
  emptyMessage: 'The JSON has no values.',
  detect: (sample) => (sample.json() === undefined ? null : 'sure'),
  subformats: [ipynb, conversation],
  read(sample, limits) {
    const value = sample.json() ?? scalarOf(sample.text);
    return jsonToMarkdown(value, limits);
  },
};

/** The value of a JSON text that is no object or list. @throws SourceError `file_damaged` with line and column */
function scalarOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SourceError('file_damaged', `The JSON cannot be read: it ${placeOf(text)}.`, { cause: error });
  }
}

/**
 * Line and column of the error, for a message. V8 reports the position only in some of its messages, but distinguishes
 * an incomplete text from an invalid one, so a binary search finds the shortest invalid beginning.
 */
function placeOf(text: string): string {
  let low = 0;
  let high = text.length + 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (isBeginning(text.slice(0, middle))) low = middle;
    else high = middle;
  }
  const offset = Math.min(low, text.trimEnd().length);
  const before = text.slice(0, offset);
  const place = `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`;
  return low === text.length ? `ends too early at ${place}` : `has an error at ${place}`;
}

/** True for a text that more text could make valid JSON. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    return /^Unexpected end|^Unterminated string/.test(message) || message.includes(` at position ${text.length}`);
  }
}

/** Markdown of a value of objects, lists and scalars, as in JSON. @throws SourceError `extraction_limit` */
export function jsonToMarkdown(value: unknown, limits: Limits): Reading {
  assertDepth(value, limits);
  const title = isObject(value) ? titleOf(value) : null;
  return { markdown: isContainer(value) ? blocks(value, 1).join('\n\n') : scalar(value), title, languageHint: null };
}

function titleOf(value: Record<string, unknown>): string | null {
  for (const key of ['title', 'name']) {
    const text = value[key];
    if (typeof text === 'string' && text.trim() !== '' && text.length <= 200) return text.trim();
  }
  return null;
}

function assertDepth(value: unknown, limits: Limits): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    assertWithin(limits, 'nesting', depth);
    level = level.flatMap((entry) => (isContainer(entry) ? Object.values(entry) : []));
  }
}

/** Blocks of a container: short values first, as a list, then the others under headings of the given depth. */
function blocks(value: object, depth: number): string[] {
  if (Array.isArray(value)) return arrayBlocks(value, depth);
  const entries = Object.entries(value);
  const parts: string[] = [];
  const short = entries.filter(([, entry]) => isShort(entry));
  if (short.length > 0) parts.push(short.map(([key, entry]) => `- **${label(key)}:** ${inline(entry)}`).join('\n'));
  for (const [key, entry] of entries) {
    if (isShort(entry)) continue;
    parts.push(heading(label(key), depth));
    append(parts, isContainer(entry) ? blocks(entry, depth + 1) : [longText(entry)]);
  }
  return parts;
}

function arrayBlocks(values: unknown[], depth: number): string[] {
  if (values.length > 0 && values.every(isShort)) return [values.map((entry) => `- ${inline(entry)}`).join('\n')];
  const table = flatTable(values);
  if (table !== null) return [table];
  return values.flatMap((entry, index) => {
    const named = isObject(entry) ? titleOf(entry) : null;
    const title = heading(named === null ? `Item ${index + 1}` : escapeInline(named.replace(/\s+/g, ' ')), depth);
    return [title, ...(isContainer(entry) ? blocks(entry, depth + 1) : [longText(entry)])];
  });
}

/** A table for two or more objects with short values only and at most 12 keys; else null. */
function flatTable(values: unknown[]): string | null {
  if (values.length < 2 || !values.every((entry) => isObject(entry) && Object.values(entry).every(isShort)))
    return null;
  const rows = values.filter(isObject);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > maxTableColumns) return null;
  return tableOf(
    columns.map(label),
    rows.map((row) => columns.map((column) => (Object.hasOwn(row, column) ? inline(row[column]) : ''))),
  );
}

function heading(text: string, depth: number): string {
  return depth <= maxHeadingDepth ? `${'#'.repeat(depth)} ${text}` : `**${text}**`;
}

/** A text of several lines: fenced if it looks like code, which would change as Markdown; else unchanged. */
function longText(value: unknown): string {
  const text = String(value).replace(/\r\n?/g, '\n').trim();
  return /^\s*(?:[{[<#]|import |function |def |class |SELECT )/.test(text) ? fenced(text, '') : text;
}

function label(key: string): string {
  return escapeInline(key.replace(/\s+/g, ' ').trim()) || '(empty)';
}

/** A value on one line; "(none)" for an empty list or object. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(inline).join(', ');
  if (isObject(value)) return '(none)';
  return scalar(value);
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return escapeInline(value.trim()) || '""';
  return String(value);
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 300 && !value.trim().includes('\n');
  if (Array.isArray(value)) {
    return (
      value.length === 0 ||
      (value.length <= 8 && value.every((entry) => !isContainer(entry) && isShort(entry) && String(entry).length <= 40))
    );
  }
  return !isContainer(value) || Object.keys(value).length === 0;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}
