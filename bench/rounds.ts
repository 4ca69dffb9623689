/** The rounds of `npm run bench:runs`: service, bare, service, bare, ..., each side under the same conditions. */
import type { Client } from '@temporalio/client';
import { sourceWorkflowId } from '../contract/commands.ts';
import { type BareSide, createBareSide, type SingleBare } from './bare-side.ts';
import { addCpu, type CpuTimes, readCpu } from './cpu.ts';
import { type RunTimes, readRunTimes } from './history.ts';
import { barePhases, type Phases, servicePhases } from './phases.ts';
import { openServiceSide, type ServiceSide, type SingleSource, type SourceTimes } from './service-side.ts';
import type { BenchStack } from './stack.ts';
import { addStages, noStages, readStageMetrics } from './stage-metrics.ts';

export interface RoundOptions {
  /** Of a burst, on each side. */
  sources: number;
  rounds: number;
  /** Creates or starts under way at once. */
  concurrency: number;
  /** Singles of a round, on each side, one after another. */
  singles: number;
}

/** What one round measured on both sides. */
export interface Round {
  /** Sources and runs in a second. */
  rate: { service: number; bare: number };
  /** Milliseconds of each single. */
  latency: { service: number[]; bare: number[] };
}

export interface Measured {
  rounds: Round[];
  cpu: { service: CpuTimes; bare: CpuTimes };
  stages: { burst: ReturnType<typeof noStages>; single: ReturnType<typeof noStages> };
  burstTimes: SourceTimes[];
  phases: { service: Phases[]; bare: Phases[] };
  /** Until the answer of HTTP create, in milliseconds. */
  answers: number[];
  events: { service: number; bare: number };
}

/** Singles whose histories are read, of the last round. */
const MOST_HISTORIES = 20;

export async function runRounds(
  stack: BenchStack,
  client: Client,
  options: RoundOptions,
  after: (round: Round, number: number) => Promise<void>,
): Promise<Measured> {
  const service = await openServiceSide(stack);
  const bare = createBareSide(client);
  const measured: Measured = {
    rounds: [],
    cpu: { service: {}, bare: {} },
    stages: { burst: noStages(), single: noStages() },
    burstTimes: [],
    phases: { service: [], bare: [] },
    answers: [],
    events: { service: 0, bare: 0 },
  };
  // Compiles, prepares, connects and warms both sides; not counted.
  await service.burst(options.sources, options.concurrency);
  await bare.burst(options.sources, options.concurrency);
  await singlesOf(service, bare, Math.ceil(options.singles / 3));

  let last: Singles = { service: [], bare: [] };
  for (let number = 1; number <= options.rounds; number += 1) {
    const rate = await bursts(stack, service, bare, options, measured);
    const stagesBefore = await readStageMetrics(stack.workerUrl);
    last = await singlesOf(service, bare, options.singles);
    addStages(measured.stages.single, stagesBefore, await readStageMetrics(stack.workerUrl));
    measured.answers.push(...last.service.map(({ requested, answered }) => answered - requested));
    const round = {
      rate,
      latency: {
        service: last.service.map(({ requested, seen }) => seen - requested),
        bare: last.bare.map(({ requested, seen }) => seen - requested),
      },
    };
    measured.rounds.push(round);
    await after(round, number);
  }
  await readPhases(client, last, measured);
  return measured;
}

async function bursts(
  stack: BenchStack,
  service: ServiceSide,
  bare: BareSide,
  { sources, concurrency }: RoundOptions,
  measured: Measured,
): Promise<Round['rate']> {
  const stagesBefore = await readStageMetrics(stack.workerUrl);
  const beforeService = await readCpu(stack);
  const ofService = await service.burst(sources, concurrency);
  const afterService = await readCpu(stack);
  addCpu(measured.cpu.service, beforeService, afterService);
  addStages(measured.stages.burst, stagesBefore, await readStageMetrics(stack.workerUrl));
  measured.burstTimes.push(...ofService.times);
  const beforeBare = await readCpu(stack);
  const ofBare = await bare.burst(sources, concurrency);
  addCpu(measured.cpu.bare, beforeBare, await readCpu(stack));
  return { service: sources / ofService.seconds, bare: sources / ofBare.seconds };
}

interface Singles {
  service: SingleSource[];
  bare: SingleBare[];
}

/** One after another, the sides in turns, so that what disturbs the machine meets both. */
async function singlesOf(service: ServiceSide, bare: BareSide, count: number): Promise<Singles> {
  const singles: Singles = { service: [], bare: [] };
  for (let index = 0; index < count; index += 1) {
    singles.service.push(await service.single());
    singles.bare.push(await bare.single());
  }
  return singles;
}

async function readPhases(client: Client, singles: Singles, measured: Measured): Promise<void> {
  const closed = async (workflowId: string): Promise<RunTimes> => {
    // The row is COMPLETED a moment before the run is closed.
    await client.workflow.getHandle(workflowId).result();
    return readRunTimes(client, workflowId);
  };
  for (const source of singles.service.slice(-MOST_HISTORIES)) {
    const run = await closed(sourceWorkflowId(source.id));
    measured.phases.service.push(servicePhases(source, run));
    measured.events.service = run.events;
  }
  for (const single of singles.bare.slice(-MOST_HISTORIES)) {
    const run = await closed(single.workflowId);
    measured.phases.bare.push(barePhases(single, run));
    measured.events.bare = run.events;
  }
}
