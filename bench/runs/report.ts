/** What `npm run bench:runs` prints; docs/benchmarks.md says what each line means. */

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
  return `round ${number}, a second: ${each((side) => rate[side])}; a single one, ms: ${each((side) => median(latency[side]))}`;
}

const rateOf = (round: Round, side: Side) => round.rate[side];
const latencyOf = (round: Round, side: Side) => median(round.latency[side]);

/** The service's figure divided by the bare side's, round by round. */
function ratiosOf(rounds: readonly Round[], value: (round: Round, side: Side) => number, bare: Bare): number[] {
  return rounds.map((round) => value(round, 'service') / value(round, bare));
}

/** The median of the ratios of each round's two figures, with the least and the greatest. */
function ratioLines(rounds: readonly Round[], value: (round: Round, side: Side) => number): string {
  return bareSides
    .map((bare) => {
      const ratios = ratiosOf(rounds, value, bare);
      const spread = `(${figure(Math.min(...ratios), 2)} to ${figure(Math.max(...ratios), 2)})`;
      return `\n  ratio service/${bare.padEnd(5)}  ${figure(median(ratios), 2)} ${spread}`;
    })
    .join('');
}

/** Least throughput and most latency of the service, as shares of the fixed side's. */
const leastRate = 0.6;
const mostLatency = 1.4;

/** What the service fails of its promises beside the fixed side; empty when it keeps both. */
export function brokenPromises({ rounds }: Measured): string[] {
  const rate = median(ratiosOf(rounds, rateOf, 'fixed'));
  const latency = median(ratiosOf(rounds, latencyOf, 'fixed'));
  return [
    ...(rate >= leastRate ? [] : [`Throughput is ${figure(rate, 2)} of the fixed side's; the least is ${leastRate}.`]),
    ...(latency <= mostLatency
      ? []
      : [`Latency is ${figure(latency, 2)} times the fixed side's; the most is ${mostLatency}.`]),
  ];
}

function rates({ rounds }: Measured): string {
  const rows = sides.map((side) => {
    const values = rounds.map(({ rate }) => rate[side]);
    const name = side === 'service' ? 'service, sources/s' : `${side}, runs/s`;
    return [name, figure(median(values)), figure(Math.min(...values)), figure(Math.max(...values))];
  });
  return `${table([['', 'median', 'least', 'most'], ...rows])}${ratioLines(rounds, rateOf)}`;
}

function latencies({ rounds, answers }: Measured): string {
  const row = (name: string, values: number[]) => [name, figure(median(values)), figure(quantile(values, 0.95))];
  const all = (side: Side) => rounds.flatMap(({ latency }) => latency[side]);
  return `${table([
    ['', 'median', 'p95'],
    row('service, create to COMPLETED, ms', all('service')),
    ...bareSides.map((side) => row(`${side}, start to its last activity, ms`, all(side))),
    row('HTTP create alone, to its answer, ms', answers),
  ])}${ratioLines(rounds, latencyOf)}`;
}

function phaseTable({ phases, events }: Measured): string {
  // The side with the most activities has all names in their order.
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

/** Each single one has to find its turn among another owner's. */
function crowdTable({ besideCrowd: { idle, beside, crowd, seconds } }: Measured): string {
  const row = (name: string, values: number[]) => [
    name,
    String(values.length),
    figure(median(values)),
    figure(quantile(values, 0.95)),
    figure(Math.max(...values)),
  ];
  return `${table([
    ['', 'measured', 'median', 'p95', 'most'],
    row('idle, ms', idle),
    row(`beside ${crowd} of another owner, ms`, beside),
  ])}\n  ratio beside/idle    ${figure(median(beside) / median(idle), 1)}; all ${crowd} took ${figure(seconds)} s`;
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
  // The kernel rounds each process to ticks: what did nothing can come out a little below zero.
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
    [`Throughput: ${sources} at once, ${concurrency} creates or starts under way, ${rounds} rounds`, rates(measured)],
    [`Latency of a single one: ${singles} one after another in each round`, latencies(measured)],
    [`A single one beside ${measured.besideCrowd.crowd} of another owner`, crowdTable(measured)],
    ['Where the time of a single one goes: medians in ms', phaseTable(measured)],
    ['Where the time of a burst goes: ms between the entries in the database', burstTable(measured)],
    ["Stages by the worker's own metric stage_duration_seconds: means in ms", stageTable(measured)],
    ['CPU of a burst: ms for each source or run', cpuTable(measured, options)],
    ['Peak memory in MiB', memoryTable(memory)],
  ];
  return sections.map(([title, body]) => `${title}\n${body}`).join('\n\n');
}
