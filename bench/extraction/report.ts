/** Report of `npm run bench:extraction`; docs/benchmarks.md explains the columns. */

import { addCounts, overlapOf } from '../../test/support/word-overlap.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';
import type { FormatResult, Read, Side } from './measure.ts';

type Counted = 'strings' | 'found' | 'inOrder' | 'tables' | 'wholeTables';

function sum(side: Side, field: Counted): number {
  return side.reads.reduce((total, { score }) => total + score[field], 0);
}

function share(side: Side | null, field: Counted, of: Counted): string {
  if (side === null) return '-';
  const all = sum(side, of);
  return all === 0 ? '-' : `${figure((100 * sum(side, field)) / all)} %`;
}

function wholeTables(side: Side | null): string {
  return side === null || sum(side, 'tables') === 0 ? '-' : `${sum(side, 'wholeTables')}/${sum(side, 'tables')}`;
}

function milliseconds(side: Side | null): number {
  return side === null ? Number.NaN : median(side.reads.map(({ ms }) => ms).filter((ms) => !Number.isNaN(ms)));
}

function row({ format, ours, markitdown }: FormatResult): string[] {
  const [ms, theirMs] = [milliseconds(ours), milliseconds(markitdown)];
  const both = [ours, markitdown];
  return [
    format,
    String(ours.reads.length),
    String(sum(ours, 'strings')),
    ...both.map((side) => share(side, 'found', 'strings')),
    ...both.map((side) => share(side, 'inOrder', 'strings')),
    ...both.map(wholeTables),
    figure(ms),
    figure(theirMs),
    figure(theirMs / ms),
    ...both.map((side) => figure(side?.memoryMiB, 0)),
  ];
}

function mainText(name: string, side: Side | null): string[] {
  const counts = (side?.reads ?? []).flatMap(({ score }) => score.mainText ?? []);
  if (counts.length === 0) return [];
  const { precision, recall, f1 } = overlapOf(addCounts(counts));
  return [
    `main text of ${counts.length} pages, ${name}: precision ${figure(100 * precision)} %, recall ${figure(100 * recall)} %, F1 ${figure(100 * f1)} %`,
  ];
}

/** One line for each format, then the scores of web pages whose main text is marked; "m" is markitdown. */
export function report(results: readonly FormatResult[]): string {
  const header = [
    '',
    'files',
    'strings',
    'found',
    'm',
    'in order',
    'm',
    'tables',
    'm',
    'ms',
    'm',
    'm/ours',
    'MiB',
    'm',
  ];
  const pages = results.flatMap(({ ours, markitdown }) => [
    ...mainText('ours', ours),
    ...mainText('markitdown', markitdown),
  ]);
  return [table([header, ...results.map(row)]), ...pages].join('\n');
}

function differences(own: Read, other: Read | undefined): string[] {
  const notByUs = own.score.missing;
  const notByThem = other?.score.missing ?? [];
  const lines = (title: string, strings: readonly string[]) => strings.map((string) => `    ${title}: ${string}`);
  return [
    ...(own.failure === null ? [] : [`    ours failed: ${own.failure}`]),
    ...(other?.failure == null ? [] : [`    markitdown failed: ${other.failure}`]),
    ...lines('only markitdown', other === undefined ? [] : notByUs.filter((string) => !notByThem.includes(string))),
    ...lines('only ours', other === undefined ? [] : notByThem.filter((string) => !notByUs.includes(string))),
    ...lines('neither', other === undefined ? notByUs : notByUs.filter((string) => notByThem.includes(string))),
    ...lines('table incomplete in ours', own.score.brokenTables),
    ...lines('table incomplete in markitdown', other?.score.brokenTables ?? []),
    ...lines('unwanted in ours', own.score.unwanted),
    ...(own.score.inOrder < own.score.found ? [`    ours out of order: ${own.score.found - own.score.inOrder}`] : []),
  ];
}

/** Differences between the two tools for each file. */
export function details({ format, ours, markitdown }: FormatResult): string {
  return ours.reads
    .flatMap((read, index) => {
      const lines = differences(read, markitdown?.reads[index]);
      return lines.length === 0 ? [] : [`  ${format}/${read.sample.filename}`, ...lines];
    })
    .join('\n');
}
