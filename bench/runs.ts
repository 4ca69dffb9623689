/**
 * `npm run bench:runs`: sources of 2 kB from HTTP create to COMPLETED, beside two bare Temporal workflows whose
 * activities do nothing (one follows the service's run, one stays), in turns on the same servers; and a single source
 * beside many of another owner. docs/benchmarks.md says how to read it.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createTemporalClient } from '../platform/temporal.ts';
import { runBench } from './bench.ts';
import { watchMemory } from './runs/memory.ts';
import { brokenPromises, report, roundLine } from './runs/report.ts';
import { type RoundOptions, runRounds } from './runs/rounds.ts';
import { type Holder, startBenchStack } from './runs/stack.ts';

const USAGE = `Usage: npm run bench:runs [-- OPTIONS]
  --sources N      sources of a burst (default 400)
  --rounds R       counted rounds (default 5)
  --concurrency C  creates or starts under way at once (default 20)
  --crowd N        sources of another owner that a single one is measured beside (default 1000)
  --check          exits 1 below 0.6 of the fixed side's throughput or above 1.4 times its latency
  --quick          60 sources, 2 rounds, fewer singles, a crowd of 120: shows that it works, not how fast`;

const count = z.coerce.number({ error: 'Options are whole numbers above 0.' }).int().positive();

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

async function bench(options: Options, holder: Holder): Promise<void> {
  const stack = await startBenchStack(holder);
  const { client } = await holder.hold(async () => {
    const made = createTemporalClient({
      TEMPORAL_ADDRESS: stack.settings.TEMPORAL_ADDRESS ?? '',
      TEMPORAL_NAMESPACE: 'default',
    });
    return { client: made, stop: () => made.connection.close() };
  });
  const memory = await watchMemory(stack);
  const measured = await runRounds(stack, client, options, async (round, number) => {
    console.log(roundLine(round, number));
    await memory.look();
  });
  console.log(`\n${report(measured, await memory.stop(), options)}`);
  const broken = options.check ? brokenPromises(measured) : [];
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

const options = optionsOrUsage();
await runBench((holder) => bench(options, holder));
