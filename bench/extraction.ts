/**
 * `npm run bench:extraction`: what the samples of test/samples come out as, how long that takes and how much memory,
 * beside markitdown over the same files. docs/benchmarks.md says how to read it.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { sampleFormats, samplesOf } from '../test/support/samples.ts';
import { runBench } from './bench.ts';
import { isolationReport } from './extraction/isolation.ts';
import { installMarkitdown, MARKITDOWN_VERSION } from './extraction/markitdown.ts';
import { type FormatResult, measureFormat } from './extraction/measure.ts';
import { details, report } from './extraction/report.ts';
import type { Holder } from './runs/stack.ts';

const USAGE = `Usage: npm run bench:extraction [-- OPTIONS]
  --format F    this format alone; may be given several times
  --rounds R    counted rounds (default 5)
  --verbose     names the strings that only one side found, and the tables that are not whole
  --alone       without markitdown
  --isolation   what the isolation of the child processes costs, and nothing else; Linux`;

interface Options {
  formats: string[];
  rounds: number;
  verbose: boolean;
  alone: boolean;
  isolation: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      format: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '5' },
      verbose: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      isolation: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const rounds = z.coerce.number().int().positive().safeParse(values.rounds);
  if (!rounds.success) throw new Error('--rounds is a whole number above 0.');
  const { format: formats, verbose, alone, isolation } = values;
  return { formats, rounds: rounds.data, verbose, alone, isolation };
}

function optionsOrUsage(): Options {
  try {
    return readOptions();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    // EX_USAGE of sysexits.h
    process.exit(64);
  }
}

async function benchIsolation({ rounds }: Options, holder: Holder): Promise<void> {
  const samples = (await Promise.all((await sampleFormats()).map(samplesOf))).flat();
  const sampleOf = (format: string) => {
    const found = samples.find((sample) => sample.format === format);
    if (found === undefined) throw new Error(`There is no sample of ${format}.`);
    return found;
  };
  console.log(`${rounds} rounds\n`);
  console.log(await isolationReport(samples, { pdf: sampleOf('pdf'), text: sampleOf('text') }, rounds, holder));
}

async function bench({ formats, rounds, verbose, alone }: Options, holder: Holder): Promise<void> {
  const known = await sampleFormats();
  const unknown = formats.find((format) => !known.includes(format));
  if (unknown !== undefined) throw new Error(`There are no samples of "${unknown}", but of ${known.join(', ')}.`);
  const python = alone ? null : await installMarkitdown((line) => console.log(line));
  const results: FormatResult[] = [];
  for (const format of formats.length === 0 ? known : formats) {
    const samples = await samplesOf(format);
    if (samples.length === 0) continue;
    const result = await measureFormat(samples, python, rounds, holder);
    results.push(result);
    if (verbose) console.log(details(result));
  }
  console.log(`${rounds} rounds; m is markitdown ${MARKITDOWN_VERSION}\n\n${report(results)}`);
}

const options = optionsOrUsage();
await runBench((holder) => (options.isolation ? benchIsolation(options, holder) : bench(options, holder)));
