/**
 * `npm run bench:runs`: sources of 2 kB from HTTP create to COMPLETED, beside bare Temporal workflows with as many
 * activities that do nothing, in turns on the same servers. docs/benchmarks.md says how to read it.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createTemporalClient } from '../platform/temporal.ts';
import { runBench } from './bench.ts';
import { watchMemory } from './memory.ts';
import { report, roundLine } from './report.ts';
import { type RoundOptions, runRounds } from './rounds.ts';
import { type Holder, startBenchStack } from './stack.ts';

const USAGE = `Usage: npm run bench:runs [-- OPTIONS]
  --sources N      sources of a burst (default 400)
  --rounds R       counted rounds (default 5)
  --concurrency C  creates or starts under way at once (default 20)
  --quick          60 sources, 2 rounds, fewer singles: shows that it works, not how fast`;

const count = z.coerce.number({ error: 'Options are whole numbers above 0.' }).int().positive();

function readOptions(): RoundOptions {
  const { values } = parseArgs({
    options: {
      sources: { type: 'string' },
      rounds: { type: 'string' },
      concurrency: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const defaults = values.quick ? { sources: 60, rounds: 2, singles: 10 } : { sources: 400, rounds: 5, singles: 30 };
  return {
    sources: count.parse(values.sources ?? defaults.sources),
    rounds: count.parse(values.rounds ?? defaults.rounds),
    concurrency: count.parse(values.concurrency ?? 20),
    singles: defaults.singles,
  };
}

function optionsOrUsage(): RoundOptions {
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

async function bench(options: RoundOptions, holder: Holder): Promise<void> {
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
}

const options = optionsOrUsage();
await runBench((holder) => bench(options, holder));
