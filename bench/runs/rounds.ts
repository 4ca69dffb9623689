/** The rounds of `npm run bench:runs`: each side under the same conditions, in another order each time. */
import type { Client } from '@temporalio/client';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { type BareSide, createBareSide, type SingleBare } from './bare-side.ts';
import { type BesideCrowd, besideCrowd } from './beside-crowd.ts';
import { addCpu, type CpuTimes, readCpu } from './cpu.ts';
import { drain } from './drain.ts';
import { type RunTimes, readRunTimes } from './history.ts';
import { barePhases, type Phases, servicePhases } from './phases.ts';
import { openServiceSide, type ServiceSide, type SingleSource, type SourceTimes } from './service-side.ts';
import { type Bare, ofEach, orderOf, type Side, sides } from './sides.ts';
import type { BenchStack } from './stack.ts';
import { addStages, noStages, readStageMetrics } from './stage-metrics.ts';
import { BARE_TASK_QUEUE, FIXED_TASK_QUEUE } from './task-queues.ts';

export interface RoundOptions {
  /** Of a burst, on each side. */
  sources: number;
  rounds: number;
  /** Creates or starts under way at once. */
  concurrency: number;
  /** Singles of a round, on each side, one after another. */
  singles: number;
  /** Sources of another owner that a single one is measured beside. */
  crowd: number;
}

/** What one round measured on all sides. */
export interface Round {
  /** Sources or runs in a second. */
  rate: Record<Side, number>;
  /** Milliseconds of each single. */
  latency: Record<Side, number[]>;
}

export interface Measured {
  rounds: Round[];
  cpu: Record<Side, CpuTimes>;
  stages: { burst: ReturnType<typeof noStages>; single: ReturnType<typeof noStages> };
  burstTimes: SourceTimes[];
  phases: Record<Side, Phases[]>;
  /** Until the answer of HTTP create, in milliseconds. */
  answers: number[];
  events: Record<Side, number>;
  besideCrowd: BesideCrowd;
}

/** Singles whose histories are read, of the last round. */
const MAX_HISTORIES = 20;

interface Bench {
  stack: BenchStack;
  client: Client;
  service: ServiceSide;
  bare: Record<Bare, BareSide>;
}

export async function runRounds(
  stack: BenchStack,
  client: Client,
  options: RoundOptions,
  after: (round: Round, number: number) => Promise<void>,
): Promise<Measured> {
  const { endedUrl } = stack;
  const service = await openServiceSide(stack, 'bench');
  const bare = {
    bare: createBareSide(client, { workflow: 'bare', taskQueue: BARE_TASK_QUEUE, endedUrl }),
    fixed: createBareSide(client, { workflow: 'fixed', taskQueue: FIXED_TASK_QUEUE, endedUrl }),
  };
  const bench = { stack, client, service, bare };
  const measured: Omit<Measured, 'besideCrowd'> = {
    rounds: [],
    cpu: ofEach(() => ({})),
    stages: { burst: noStages(), single: noStages() },
    burstTimes: [],
    phases: ofEach(() => []),
    answers: [],
    events: ofEach(() => 0),
  };
  // Compiles, prepares, connects and warms all sides; not counted.
  for (const side of sides) {
    await (side === 'service' ? service : bare[side]).burst(options.sources, options.concurrency);
    await drain(client, stack.database);
  }
  await singlesOf(bench, Math.ceil(options.singles / 3));

  let last: Singles = { service: [], bare: [], fixed: [] };
  for (let number = 1; number <= options.rounds; number += 1) {
    const rate = ofEach(() => Number.NaN);
    for (const side of orderOf(number - 1)) rate[side] = await burstOf(side, bench, options, measured);
    const stagesBefore = await readStageMetrics(stack.workerUrl);
    last = await singlesOf(bench, options.singles);
    addStages(measured.stages.single, stagesBefore, await readStageMetrics(stack.workerUrl));
    measured.answers.push(...last.service.map(({ requested, answered }) => answered - requested));
    const round = { rate, latency: ofEach((side) => last[side].map(({ requested, seen }) => seen - requested)) };
    measured.rounds.push(round);
    await after(round, number);
  }
  await readPhases(client, last, measured);
  await drain(client, stack.database);
  const { crowd, concurrency, singles } = options;
  const other = await openServiceSide(stack, 'other');
  return { ...measured, besideCrowd: await besideCrowd(other, service, { crowd, concurrency, idleSingles: singles }) };
}

/** A burst of one side and the wait until nothing of it is left. Returns sources or runs in a second. */
async function burstOf(
  side: Side,
  { stack, client, service, bare }: Bench,
  { sources, concurrency }: RoundOptions,
  measured: Omit<Measured, 'besideCrowd'>,
): Promise<number> {
  const stagesBefore = await readStageMetrics(stack.workerUrl);
  const cpuBefore = await readCpu(stack);
  let seconds: number;
  if (side === 'service') {
    const burst = await service.burst(sources, concurrency);
    seconds = burst.seconds;
    measured.burstTimes.push(...burst.times);
  } else {
    ({ seconds } = await bare[side].burst(sources, concurrency));
  }
  addCpu(measured.cpu[side], cpuBefore, await readCpu(stack));
  addStages(measured.stages.burst, stagesBefore, await readStageMetrics(stack.workerUrl));
  await drain(client, stack.database);
  return sources / seconds;
}

interface Singles {
  service: SingleSource[];
  bare: SingleBare[];
  fixed: SingleBare[];
}

/** One after another, the sides in turns, so that what disturbs the machine meets all. */
async function singlesOf({ service, bare }: Bench, count: number): Promise<Singles> {
  const singles: Singles = { service: [], bare: [], fixed: [] };
  for (let index = 0; index < count; index += 1) {
    for (const side of orderOf(index)) {
      if (side === 'service') singles.service.push(await service.single());
      else singles[side].push(await bare[side].single());
    }
  }
  return singles;
}

async function readPhases(client: Client, singles: Singles, measured: Omit<Measured, 'besideCrowd'>): Promise<void> {
  const closed = async (workflowId: string): Promise<RunTimes> => {
    // What the poll sees is there a moment before the run is closed.
    await client.workflow.getHandle(workflowId).result();
    return readRunTimes(client, workflowId);
  };
  for (const source of singles.service.slice(-MAX_HISTORIES)) {
    const run = await closed(sourceWorkflowId(source.id));
    measured.phases.service.push(servicePhases(source, run));
    measured.events.service = run.events;
  }
  for (const side of ['bare', 'fixed'] as const) {
    for (const single of singles[side].slice(-MAX_HISTORIES)) {
      const run = await closed(single.workflowId);
      measured.phases[side].push(barePhases(single, run));
      measured.events[side] = run.events;
    }
  }
}
