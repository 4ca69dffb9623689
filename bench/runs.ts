/**
 * `npm run bench:runs`: sources of 2 kB from HTTP create to COMPLETED, compared with two bare Temporal workflows whose
 * activities do nothing (`bare` follows the service's present workflow, `fixed` never changes), alternating on the same
 * servers; then the latency of one source while another owner's burst runs. docs/benchmarks.md explains the output.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createTemporalClient } from '../platform/temporal.ts';
import { runBench } from './bench.ts';
import { watchMemory } from './runs/memory.ts';
import { missedLimits, report, roundLine } from './runs/report.ts';
import { type RoundOptions, runRounds } from './runs/rounds.ts';
import { type Resources, startBenchStack } from './runs/stack.ts';

const USAGE = `Usage: npm run bench:runs [-- OPTIONS]
  --sources N      sources per burst (default 400)
  --rounds R       counted rounds (default 5)
  --concurrency C  concurrent creates or starts (default 20)
  --crowd N        sources of the other owner's burst during which single sources are measured (default 1000)
  --check          exits 1 below 0.6 of the fixed workflow's throughput or above 1.4 times its latency
  --quick          smoke test: 60 sources, 2 rounds, 10 single sources, a crowd of 120`;

const count = z.coerce.number({ error: 'Options must be whole numbers above 0.' }).int().positive();

type Options = RoundOptions & { check: boolean };

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      sources: { type: 'string' },
      rounds: { type: 'string' },
      concurrency: { type: 'string' },
      crowd: { type: 'string' },
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const defaults = values.quick
    ? { sources: 60, rounds: 2, singles: 10, crowd: 120 }
    : { sources: 400, rounds: 5, singles: 30, crowd: 1_000 };
  return {
    sources: count.parse(values.sources ?? defaults.sources),
    rounds: count.parse(values.rounds ?? defaults.rounds),
    concurrency: count.parse(values.concurrency ?? 20),
    singles: defaults.singles,
    crowd: count.parse(values.crowd ?? defaults.crowd),
    check: values.check,
  };
}

function optionsOrUsage(): Options {
  try {
    return readOptions();
  } catch (error) {
    const message =
      error instanceof z.ZodError ? error.issues[0]?.message : error instanceof Error ? error.message : error;
    console.error(`${message}\n${USAGE}`);
    // EX_USAGE of sysexits.h
    process.exit(64);
  }
}

async function bench(options: Options, resources: Resources): Promise<void> {
  const stack = await startBenchStack(resources);
  const { client } = await resources.acquire(async () => {
    const made = createTemporalClient({
      TEMPORAL_ADDRESS: stack.settings.TEMPORAL_ADDRESS ?? '',
      TEMPORAL_NAMESPACE: 'default',
    });
    return { client: made, stop: () => made.connection.close() };
  });
  const memory = await watchMemory(stack);
  const measured = await runRounds(stack, client, options, async (round, number) => {
    console.log(roundLine(round, number));
    await memory.sample();
  });
  console.log(`\n${report(measured, await memory.stop(), options)}`);
  const missed = options.check ? missedLimits(measured) : [];
  if (missed.length > 0) throw new Error(missed.join('\n'));
}

const options = optionsOrUsage();
await runBench((resources) => bench(options, resources));
