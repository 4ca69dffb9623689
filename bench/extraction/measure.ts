/** Reads every sample of a format on both sides, in turns, each in a process that has read nothing else. */
import { createExtractionPool, type ExtractionPool } from '../../extraction/pool/pool.ts';
import { peakMiB } from '../../test/support/processes.ts';
import type { Sample } from '../../test/support/samples.ts';
import { type Score, scoreOf } from '../../test/support/score.ts';
import type { Holder } from '../runs/stack.ts';
import { median } from '../statistics.ts';
import { type Markitdown, startMarkitdown } from './markitdown.ts';

/** The service's own defaults (platform/config.ts). */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 768;

export interface Read {
  sample: Sample;
  score: Score;
  /** Median of the counted rounds. */
  ms: number;
  /** Why nothing came out. */
  failure: string | null;
}

export interface Side {
  reads: Read[];
  /** The most resident memory of the process that read the format's samples, in MiB. */
  memoryMiB: number | undefined;
}

export interface FormatResult {
  format: string;
  ours: Side;
  /** Null where it reads no sample of the format, or was not asked. */
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

async function readTheirs(markitdown: Markitdown, { path }: Sample): Promise<Outcome | null> {
  const answer = await markitdown.convert(path);
  if (answer.kind === 'unsupported') return null;
  if (answer.kind === 'failed') return { ms: Number.NaN, text: '', failure: answer.message };
  return { ms: answer.ms, text: answer.text, failure: null };
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

/** The first round is not counted: it loads what the format needs. */
export async function measureFormat(
  samples: readonly Sample[],
  python: string | null,
  rounds: number,
  { hold }: Holder,
): Promise<FormatResult> {
  const { pool, stop: stopOurs } = await hold(async () => {
    const made = createExtractionPool({ processes: 1, timeoutMs: TIMEOUT_MS, memoryMb: MEMORY_MB });
    return { pool: made, stop: () => made.close() };
  });
  const theirs = python === null ? null : await hold(async () => startMarkitdown(python));
  const ours = samples.map((): Outcome[] => []);
  const others = samples.map((): Outcome[] => []);
  let memory: number | undefined;
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, sample] of samples.entries()) {
      const outcome = await readOurs(pool, sample);
      const [pid = 0] = pool.pids();
      memory = Math.max(memory ?? 0, (await peakMiB(pid)) ?? 0);
      const other = theirs === null ? null : await readTheirs(theirs, sample);
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
