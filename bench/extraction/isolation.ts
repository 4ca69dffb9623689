/** What isolation costs: the same pool beside one without, in turns, each document and each start of a child. */
import { defaultIsolation, type Isolation } from '../../extraction/pool/launch.ts';
import { createExtractionPool, type ExtractionPool } from '../../extraction/pool/pool.ts';
import { childrenCpuMs, readProcesses } from '../../test/support/processes.ts';
import type { Sample } from '../../test/support/samples.ts';
import type { Holder } from '../runs/stack.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

/** The service's own defaults (platform/config.ts). */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 768;
const sides: readonly Isolation[] = ['namespaces', 'none'];

/** Figures of both sides, in the order of `sides`. */
type Both = [isolated: number[], plain: number[]];

function newPool(isolation: Isolation): ExtractionPool {
  return createExtractionPool({ processes: 1, timeoutMs: TIMEOUT_MS, memoryMb: MEMORY_MB, isolation });
}

async function read(pool: ExtractionPool, { bytes, filename, expected: { url } }: Sample, owner = ''): Promise<number> {
  const begun = performance.now();
  await pool.run('convert', { bytes, filename, contentType: null, url }, { owner });
  return performance.now() - begun;
}

async function cpuMs(): Promise<number> {
  return childrenCpuMs(await readProcesses(), process.pid);
}

/** Milliseconds, and processor time of all processes that it takes, from the start of a child to its first document. */
async function measureStarts(sample: Sample, rounds: number, { hold }: Holder): Promise<{ ms: Both; cpu: Both }> {
  const [ms, cpu]: [Both, Both] = [
    [[], []],
    [[], []],
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const [side, isolation] of sides.entries()) {
      const before = await cpuMs();
      const begun = performance.now();
      const pool = newPool(isolation);
      await hold(async () => ({ stop: () => pool.close() }));
      await read(pool, sample);
      ms[side]?.push(performance.now() - begun);
      // While it lives: an isolated child that is killed is collected by the system, and its time with it.
      cpu[side]?.push((await cpuMs()) - before);
      await pool.close();
    }
  }
  return { ms, cpu };
}

/** The median of each sample, warm; a document that cannot be read is left out on both sides. */
async function measureDocuments(samples: readonly Sample[], rounds: number, { hold }: Holder): Promise<Both> {
  const pools = sides.map(newPool);
  for (const pool of pools) await hold(async () => ({ stop: () => pool.close() }));
  const medians: Both = [[], []];
  for (const sample of samples) {
    const times: Both = [[], []];
    try {
      for (let round = 0; round <= rounds; round += 1) {
        for (const [side, pool] of pools.entries()) {
          const took = await read(pool, sample);
          if (round > 0) times[side]?.push(took);
        }
      }
    } catch {
      continue;
    }
    for (const side of [0, 1] as const) medians[side].push(median(times[side]));
  }
  await Promise.all(pools.map((pool) => pool.close()));
  return medians;
}

/** Milliseconds of one document after another at one child: of one owner, and each of another owner. */
async function measureOwners(sample: Sample, rounds: number, { hold }: Holder): Promise<Both> {
  const pool = newPool(defaultIsolation);
  await hold(async () => ({ stop: () => pool.close() }));
  const times: Both = [[], []];
  await read(pool, sample, 'one');
  for (let round = 0; round < rounds; round += 1) times[1].push(await read(pool, sample, 'one'));
  for (let round = 0; round < rounds; round += 1) times[0].push(await read(pool, sample, `owner ${round}`));
  await pool.close();
  return times;
}

function row(name: string, [one, other]: Both): string[] {
  const ratios = one.map((value, at) => value / (other[at] ?? Number.NaN));
  return [name, figure(median(one)), figure(median(other)), figure(median(ratios), 2)];
}

/** Measures, and says what came out. `pdf` is read by native code, `text` is not. */
export async function isolationReport(
  samples: readonly Sample[],
  { pdf, text }: { pdf: Sample; text: Sample },
  rounds: number,
  holder: Holder,
): Promise<string> {
  const documents = await measureDocuments(samples, rounds, holder);
  const starts = await measureStarts(text, rounds, holder);
  const pdfs = await measureOwners(pdf, rounds, holder);
  const texts = await measureOwners(text, rounds, holder);
  return [
    table([
      ['', 'isolated', 'not', 'ratio'],
      row(`a document, ms (${documents[0].length} samples)`, documents),
      row('start of a child to its first document, ms', starts.ms),
      row('the same, processor time, ms', starts.cpu),
    ]),
    table([['', 'another owner each time', 'one owner', 'ratio'], row('a PDF, ms', pdfs), row('a text, ms', texts)]),
  ].join('\n\n');
}
