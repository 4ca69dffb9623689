/** Reads every sample of a format with both tools, alternating, each tool in a fresh process for the format. */
import { createExtractionPool, type ExtractionPool } from '../../extraction/pool/pool.ts';
import { peakMiB } from '../../test/support/processes.ts';
import type { Sample } from '../../test/support/samples.ts';
import { type Score, scoreOf } from '../../test/support/score.ts';
import type { Resources } from '../runs/stack.ts';
import { median } from '../statistics.ts';
import { type Markitdown, startMarkitdown } from './markitdown.ts';

/** Defaults of the service (platform/settings.ts). */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 768;

export interface Read {
  sample: Sample;
  score: Score;
  /** Median milliseconds of the counted rounds. */
  ms: number;
  /** Error message if the sample could not be read. */
  failure: string | null;
}

export interface Side {
  reads: Read[];
  /** Peak resident memory of the process that read the format's samples, in MiB. */
  memoryMiB: number | undefined;
}

export interface FormatResult {
  format: string;
  ours: Side;
  /** Null if markitdown supports no sample of the format, or was not run. */
  markitdown: Side | null;
}

type Outcome = { ms: number; text: string; failure: string | null };

async function readOurs(pool: ExtractionPool, { bytes, filename, expected: { url } }: Sample): Promise<Outcome> {
  const begun = performance.now();
  try {
    const { markdown } = await pool.run('convert', { bytes, filename, contentType: null, url });
    return { ms: performance.now() - begun, text: markdown, failure: null };
  } catch (error) {
    return { ms: Number.NaN, text: '', failure: error instanceof Error ? error.message : String(error) };
  }
}

async function readWithMarkitdown(markitdown: Markitdown, { path }: Sample): Promise<Outcome | null> {
  const result = await markitdown.convert(path);
  if (result.kind === 'unsupported') return null;
  if (result.kind === 'failed') return { ms: Number.NaN, text: '', failure: result.message };
  return { ms: result.ms, text: result.text, failure: null };
}

function readOf(sample: Sample, outcomes: readonly Outcome[]): Read {
  const [first] = outcomes;
  return {
    sample,
    score: scoreOf(first?.text ?? '', sample.expected),
    ms: median(outcomes.map(({ ms }) => ms)),
    failure: first?.failure ?? null,
  };
}

/** Measures a format. The first round is a warm-up that loads the reader of the format; it is not counted. */
export async function measureFormat(
  samples: readonly Sample[],
  python: string | null,
  rounds: number,
  { acquire }: Resources,
): Promise<FormatResult> {
  const { pool, stop: stopOurs } = await acquire(async () => {
    const made = createExtractionPool({ processes: 1, timeoutMs: TIMEOUT_MS, memoryMb: MEMORY_MB });
    return { pool: made, stop: () => made.close() };
  });
  const theirs = python === null ? null : await acquire(async () => startMarkitdown(python));
  const ours = samples.map((): Outcome[] => []);
  const others = samples.map((): Outcome[] => []);
  let memory: number | undefined;
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, sample] of samples.entries()) {
      const outcome = await readOurs(pool, sample);
      const [pid = 0] = pool.pids();
      memory = Math.max(memory ?? 0, (await peakMiB(pid)) ?? 0);
      const other = theirs === null ? null : await readWithMarkitdown(theirs, sample);
      if (round === 0) continue;
      ours[index]?.push(outcome);
      if (other !== null) others[index]?.push(other);
    }
  }
  const theirMemory = await theirs?.peakMiB();
  await stopOurs();
  await theirs?.stop();
  const read = samples.filter((_, index) => (others[index]?.length ?? 0) > 0);
  return {
    format: samples[0]?.format ?? '',
    ours: { reads: samples.map((sample, index) => readOf(sample, ours[index] ?? [])), memoryMiB: memory },
    markitdown:
      read.length === 0
        ? null
        : {
            reads: samples.map((sample, index) => readOf(sample, others[index] ?? [])),
            memoryMiB: theirMemory,
          },
  };
}
