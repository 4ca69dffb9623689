/**
 * `npm run bench:extraction`: extraction quality, time and memory for the samples of test/samples, compared with
 * markitdown on the same files. docs/benchmarks.md explains the output.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { sampleFormats, samplesOf } from '../test/support/samples.ts';
import { runBench } from './bench.ts';
import { withContainedStrings } from './extraction/document-text.ts';
import { isolationReport } from './extraction/isolation.ts';
import { installMarkitdown, MARKITDOWN_VERSION } from './extraction/markitdown.ts';
import { type FormatResult, measureFormat } from './extraction/measure.ts';
import { pagesReport } from './extraction/pages.ts';
import { details, report } from './extraction/report.ts';
import type { Resources } from './runs/stack.ts';

const USAGE = `Usage: npm run bench:extraction [-- OPTIONS]
  --format F    only this format; may be repeated
  --rounds R    counted rounds (default 5)
  --verbose     lists the strings that only one side found, and incomplete tables
  --alone       without markitdown
  --pages DIR   only the quality on web pages of DIR, whose main text others marked; see bench/extraction/pages.ts
  --isolation   only the overhead of the child processes' isolation; Linux only`;

interface Options {
  formats: string[];
  rounds: number;
  verbose: boolean;
  alone: boolean;
  isolation: boolean;
  pages: string | undefined;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      format: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '5' },
      verbose: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      isolation: { type: 'boolean', default: false },
      pages: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const rounds = z.coerce.number().int().positive().safeParse(values.rounds);
  if (!rounds.success) throw new Error('--rounds must be a whole number above 0.');
  const { format: formats, verbose, alone, isolation, pages } = values;
  return { formats, rounds: rounds.data, verbose, alone, isolation, pages };
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

async function benchIsolation({ rounds }: Options, resources: Resources): Promise<void> {
  const samples = (await Promise.all((await sampleFormats()).map(samplesOf))).flat();
  const sampleOf = (format: string) => {
    const found = samples.find((sample) => sample.format === format);
    if (found === undefined) throw new Error(`test/samples has no sample of the format ${format}.`);
    return found;
  };
  console.log(`${rounds} rounds\n`);
  console.log(await isolationReport(samples, { pdf: sampleOf('pdf'), text: sampleOf('text') }, rounds, resources));
}

async function bench({ formats, rounds, verbose, alone }: Options, resources: Resources): Promise<void> {
  const known = await sampleFormats();
  const unknown = formats.find((format) => !known.includes(format));
  if (unknown !== undefined) throw new Error(`Unknown format "${unknown}". Formats with samples: ${known.join(', ')}.`);
  const python = alone ? null : await installMarkitdown((line) => console.log(line));
  const results: FormatResult[] = [];
  for (const format of formats.length === 0 ? known : formats) {
    const samples = await Promise.all((await samplesOf(format)).map(withContainedStrings));
    if (samples.length === 0) continue;
    const result = await measureFormat(samples, python, rounds, resources);
    results.push(result);
    if (verbose) console.log(details(result));
  }
  console.log(`${rounds} rounds; m is markitdown ${MARKITDOWN_VERSION}\n\n${report(results)}`);
}

const options = optionsOrUsage();
await runBench(async (resources) => {
  if (options.pages !== undefined) console.log(await pagesReport(options.pages, resources));
  else if (options.isolation) await benchIsolation(options, resources);
  else await bench(options, resources);
});
