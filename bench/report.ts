/** What `npm run bench:runs` prints; docs/benchmarks.md says what each line means. */
import type { MemoryRow } from './memory.ts';
import type { Phases } from './phases.ts';
import type { Measured, Round, RoundOptions } from './rounds.ts';
import type { SourceTimes } from './service-side.ts';
import type { StageTotals } from './stage-metrics.ts';
import { median, quantile } from './statistics.ts';
import { figure, table } from './table.ts';

type Side = 'service' | 'bare';
const sides = ['service', 'bare'] as const;

export function roundLine(round: Round, number: number): string {
  const [service, bare] = sides.map((side) => median(round.latency[side]));
  return (
    `round ${number}: ${figure(round.rate.service)} sources/s, bare ${figure(round.rate.bare)} runs/s; ` +
    `single ${figure(service)} ms, bare ${figure(bare)} ms`
  );
}

/** The median of the ratios of each round's two figures, with the least and the greatest. */
function ratio(rounds: readonly Round[], value: (round: Round, side: Side) => number): string {
  const ratios = rounds.map((round) => value(round, 'service') / value(round, 'bare'));
  return `${figure(median(ratios), 2)} (${figure(Math.min(...ratios), 2)} to ${figure(Math.max(...ratios), 2)})`;
}

function rates({ rounds }: Measured): string {
  const row = (name: string, side: Side) => {
    const values = rounds.map(({ rate }) => rate[side]);
    return [name, figure(median(values)), figure(Math.min(...values)), figure(Math.max(...values))];
  };
  return `${table([
    ['', 'median', 'least', 'most'],
    row('service, sources/s', 'service'),
    row('bare, runs/s', 'bare'),
  ])}\n  ratio service/bare  ${ratio(rounds, (round, side) => round.rate[side])}`;
}

function latencies({ rounds, answers }: Measured): string {
  const row = (name: string, values: number[]) => [name, figure(median(values)), figure(quantile(values, 0.95))];
  const all = (side: Side) => rounds.flatMap(({ latency }) => latency[side]);
  return `${table([
    ['', 'median', 'p95'],
    row('service, create to COMPLETED, ms', all('service')),
    row('bare, start to result, ms', all('bare')),
    row('HTTP create alone, to its answer, ms', answers),
  ])}\n  ratio service/bare  ${ratio(rounds, (round, side) => median(round.latency[side]))}`;
}

function phaseTable({ phases, events }: Measured): string {
  const names = Object.keys(phases.service[0] ?? {});
  const middle = (of: readonly Phases[], name: string) => median(of.map((each) => each[name] ?? Number.NaN));
  const total = (of: readonly Phases[]) => median(of.map((each) => Object.values(each).reduce((a, b) => a + b, 0)));
  return table([
    ['', 'service', 'bare'],
    ...names.map((name) => [name, figure(middle(phases.service, name)), figure(middle(phases.bare, name))]),
    ['all', figure(total(phases.service)), figure(total(phases.bare))],
    ['events in the history', String(events.service), String(events.bare)],
  ]);
}

function burstTable({ burstTimes }: Measured): string {
  const row = (name: string, from: keyof SourceTimes, to: keyof SourceTimes) => {
    const values = burstTimes.map((times) => times[to] - times[from]);
    return [name, figure(median(values), 0), figure(quantile(values, 0.95), 0)];
  };
  return table([
    ['', 'median', 'p95'],
    row('row -> begin (outbox, start, workflow task)', 'created', 'begin'),
    row('begin -> context (workflow task, wait for a slot)', 'begin', 'context'),
    row('context -> artifacts (extractContext, workflow task)', 'context', 'artifacts'),
    row('artifacts -> finish (extractArtifacts, workflow task)', 'artifacts', 'finish'),
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
    ['', 'service', 'bare'],
    ...parts.map((part) => [part, figure(each('service', part)), figure(each('bare', part))]),
    ['all', figure(sum('service')), figure(sum('bare'))],
  ])}\n  ratio bare/service  ${figure(sum('bare') / sum('service'), 2)}`;
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
    ['Where the time of a single one goes: medians in ms', phaseTable(measured)],
    ['Where the time of a burst goes: ms between the entries in the database', burstTable(measured)],
    ["Stages by the worker's own metric stage_duration_seconds: means in ms", stageTable(measured)],
    ['CPU of a burst: ms for each source or run', cpuTable(measured, options)],
    ['Peak memory in MiB', memoryTable(memory)],
  ];
  return sections.map(([title, body]) => `${title}\n${body}`).join('\n\n');
}
