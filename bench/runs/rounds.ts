/** Rounds of `npm run bench:runs`: each side under the same conditions, in a different order in each round. */
import type { Client } from '@temporalio/client';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { type BareSide, createBareSide, type SingleBare } from './bare-side.ts';
import { type LatencyUnderLoad, measureUnderLoad } from './beside-crowd.ts';
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
  /** Sources per burst, on each side. */
  sources: number;
  rounds: number;
  /** Concurrent creates or starts. */
  concurrency: number;
  /** Sequential single sources or runs per round, on each side. */
  singles: number;
  /** Sources of the other owner's burst during which single sources are measured. */
  crowd: number;
}

/** Results of one round on all sides. */
export interface Round {
  /** Sources or runs per second. */
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
  /** Response times of HTTP create, in milliseconds. */
  responseMs: number[];
  events: Record<Side, number>;
  latencyUnderLoad: LatencyUnderLoad;
}

/** Number of histories that are read, from the last round. */
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
  const measured: Omit<Measured, 'latencyUnderLoad'> = {
    rounds: [],
    cpu: ofEach(() => ({})),
    stages: { burst: noStages(), single: noStages() },
    burstTimes: [],
    phases: ofEach(() => []),
    responseMs: [],
    events: ofEach(() => 0),
  };
  // Warm-up of all sides; not counted.
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
    measured.responseMs.push(...last.service.map(({ requested, responded }) => responded - requested));
    const round = { rate, latency: ofEach((side) => last[side].map(({ requested, seen }) => seen - requested)) };
    measured.rounds.push(round);
    await after(round, number);
  }
  await readPhases(client, last, measured);
  await drain(client, stack.database);
  const { crowd, concurrency, singles } = options;
  const other = await openServiceSide(stack, 'other');
  return {
    ...measured,
    latencyUnderLoad: await measureUnderLoad(other, service, { crowd, concurrency, idleSingles: singles }),
  };
}

/** Runs a burst of one side and waits until all its work has ended. Returns sources or runs per second. */
async function burstOf(
  side: Side,
  { stack, client, service, bare }: Bench,
  { sources, concurrency }: RoundOptions,
  measured: Omit<Measured, 'latencyUnderLoad'>,
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

/** Runs single sources or runs sequentially and alternates the sides, so that disturbances affect all sides alike. */
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

async function readPhases(
  client: Client,
  singles: Singles,
  measured: Omit<Measured, 'latencyUnderLoad'>,
): Promise<void> {
  const closed = async (workflowId: string): Promise<RunTimes> => {
    // The poll sees the end shortly before the run is closed.
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
