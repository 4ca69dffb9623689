/** Report of `npm run bench:runs`; docs/benchmarks.md explains the lines. */

import { median, quantile } from '../statistics.ts';
import { figure, table } from '../table.ts';
import type { MemoryRow } from './memory.ts';
import type { Phases } from './phases.ts';
import type { Measured, Round, RoundOptions } from './rounds.ts';
import type { SourceTimes } from './service-side.ts';
import { type Bare, type Side, sides } from './sides.ts';
import type { StageTotals } from './stage-metrics.ts';

const bareSides = ['bare', 'fixed'] as const;

export function roundLine({ rate, latency }: Round, number: number): string {
  const each = (value: (side: Side) => number) => sides.map((side) => `${side} ${figure(value(side))}`).join(', ');
  return `round ${number}, per second: ${each((side) => rate[side])}; single, ms: ${each((side) => median(latency[side]))}`;
}

const rateOf = (round: Round, side: Side) => round.rate[side];
const latencyOf = (round: Round, side: Side) => median(round.latency[side]);

/** The service's value divided by the bare side's, for each round. */
function ratiosOf(rounds: readonly Round[], value: (round: Round, side: Side) => number, bare: Bare): number[] {
  return rounds.map((round) => value(round, 'service') / value(round, bare));
}

/** Median, minimum and maximum of the ratios of each round. */
function ratioLines(rounds: readonly Round[], value: (round: Round, side: Side) => number): string {
  return bareSides
    .map((bare) => {
      const ratios = ratiosOf(rounds, value, bare);
      const spread = `(${figure(Math.min(...ratios), 2)} to ${figure(Math.max(...ratios), 2)})`;
      return `\n  ratio service/${bare.padEnd(5)}  ${figure(median(ratios), 2)} ${spread}`;
    })
    .join('');
}

/** Minimum throughput and maximum latency of the service, relative to the fixed side. */
const MIN_RATE = 0.6;
const MAX_LATENCY = 1.4;

/** Messages about the limits that the service misses, relative to the fixed side; empty when it meets both. */
export function missedLimits({ rounds }: Measured): string[] {
  const rate = median(ratiosOf(rounds, rateOf, 'fixed'));
  const latency = median(ratiosOf(rounds, latencyOf, 'fixed'));
  return [
    ...(rate >= MIN_RATE ? [] : [`Throughput is ${figure(rate, 2)} of the fixed side's; the minimum is ${MIN_RATE}.`]),
    ...(latency <= MAX_LATENCY
      ? []
      : [`Latency is ${figure(latency, 2)} times the fixed side's; the maximum is ${MAX_LATENCY}.`]),
  ];
}

function rates({ rounds }: Measured): string {
  const rows = sides.map((side) => {
    const values = rounds.map(({ rate }) => rate[side]);
    const name = side === 'service' ? 'service, sources/s' : `${side}, runs/s`;
    return [name, figure(median(values)), figure(Math.min(...values)), figure(Math.max(...values))];
  });
  return `${table([['', 'median', 'min', 'max'], ...rows])}${ratioLines(rounds, rateOf)}`;
}

function latencies({ rounds, responseMs }: Measured): string {
  const row = (name: string, values: number[]) => [name, figure(median(values)), figure(quantile(values, 0.95))];
  const all = (side: Side) => rounds.flatMap(({ latency }) => latency[side]);
  return `${table([
    ['', 'median', 'p95'],
    row('service, create to COMPLETED, ms', all('service')),
    ...bareSides.map((side) => row(`${side}, start to end of its last activity, ms`, all(side))),
    row('HTTP create only, to its response, ms', responseMs),
  ])}${ratioLines(rounds, latencyOf)}`;
}

function phaseTable({ phases, events }: Measured): string {
  // The side with the most activities has all phase names in order.
  const names = Object.keys(
    sides
      .map((side) => phases[side][0] ?? {})
      .reduce((a, b) => (Object.keys(b).length > Object.keys(a).length ? b : a)),
  );
  const middle = (of: readonly Phases[], name: string) => median(of.map((each) => each[name] ?? Number.NaN));
  const total = (of: readonly Phases[]) => median(of.map((each) => Object.values(each).reduce((a, b) => a + b, 0)));
  return table([
    ['', ...sides],
    ...names.map((name) => [name, ...sides.map((side) => figure(middle(phases[side], name)))]),
    ['all', ...sides.map((side) => figure(total(phases[side])))],
    ['events in the history', ...sides.map((side) => String(events[side]))],
  ]);
}

function underLoadTable({ latencyUnderLoad: { idle, loaded, crowd, seconds } }: Measured): string {
  const row = (name: string, values: number[]) => [
    name,
    String(values.length),
    figure(median(values)),
    figure(quantile(values, 0.95)),
    figure(Math.max(...values)),
  ];
  return `${table([
    ['', 'measured', 'median', 'p95', 'max'],
    row('idle, ms', idle),
    row(`during ${crowd} of another owner, ms`, loaded),
  ])}\n  ratio loaded/idle    ${figure(median(loaded) / median(idle), 1)}; all ${crowd} took ${figure(seconds)} s`;
}

function burstTable({ burstTimes }: Measured): string {
  const row = (name: string, from: keyof SourceTimes, to: keyof SourceTimes) => {
    const values = burstTimes.map((times) => times[to] - times[from]);
    return [name, figure(median(values), 0), figure(quantile(values, 0.95), 0)];
  };
  return table([
    ['', 'median', 'p95'],
    row('row -> begin (outbox, start, workflow task)', 'created', 'begin'),
    row('begin -> context (workflow task, wait for a slot, extraction)', 'begin', 'context'),
    row('context -> artifacts', 'context', 'artifacts'),
    row('artifacts -> finish (workflow task)', 'artifacts', 'finish'),
    row('row -> finish', 'created', 'finish'),
  ]);
}

function stageTable({ stages }: Measured): string {
  const mean = ({ seconds, count }: StageTotals) => figure(count === 0 ? undefined : (seconds / count) * 1000);
  return table([
    ['', 'single', 'burst'],
    ['context', mean(stages.single.context), mean(stages.burst.context)],
    ['artifacts', mean(stages.single.artifacts), mean(stages.burst.artifacts)],
  ]);
}

function cpuTable({ cpu, rounds }: Measured, { sources }: RoundOptions): string {
  // The kernel counts CPU time in ticks, so an idle process can come out slightly below zero.
  const each = (side: Side, part: string) => Math.max(0, cpu[side][part] ?? 0) / (sources * rounds.length);
  const parts = Object.keys(cpu.service);
  const sum = (side: Side) => parts.reduce((total, part) => total + each(side, part), 0);
  return `${table([
    ['', ...sides],
    ...parts.map((part) => [part, ...sides.map((side) => figure(each(side, part)))]),
    ['all', ...sides.map((side) => figure(sum(side)))],
  ])}${bareSides.map((side) => `\n  ratio ${side}/service  ${figure(sum(side) / sum('service'), 2)}`).join('')}`;
}

function memoryTable(rows: readonly MemoryRow[]): string {
  return table([
    ['', 'measure', 'after the start', 'at the end'],
    ...rows.map(({ name, measure, started, ended }) => [name, measure, figure(started, 0), figure(ended, 0)]),
  ]);
}

/** The whole report. */
export function report(measured: Measured, memory: readonly MemoryRow[], options: RoundOptions): string {
  const { sources, concurrency, rounds, singles } = options;
  const sections: [string, string][] = [
    [
      `Throughput: bursts of ${sources}, ${concurrency} concurrent creates or starts, ${rounds} rounds`,
      rates(measured),
    ],
    [`Latency of single sources or runs: ${singles} sequential ones in each round`, latencies(measured)],
    [`Single sources during a burst of ${measured.latencyUnderLoad.crowd} of another owner`, underLoadTable(measured)],
    ['Phases of a single source or run: medians in ms', phaseTable(measured)],
    ['Phases of a burst: ms between timestamps in the database', burstTable(measured)],
    ['Stages: means of the worker metric stage_duration_seconds, in ms', stageTable(measured)],
    ['CPU of a burst: ms per source or run', cpuTable(measured, options)],
    ['Peak memory in MiB', memoryTable(memory)],
  ];
  return sections.map(([title, body]) => `${title}\n${body}`).join('\n\n');
}
