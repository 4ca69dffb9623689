/** Overhead of isolation: compares pools with and without it, alternating, by document and by start of a child. */
import { defaultIsolation, type Isolation } from '../../extraction/pool/launch.ts';
import { createExtractionPool, type ExtractionPool } from '../../extraction/pool/pool.ts';
import { childrenCpuMs, readProcesses } from '../../test/support/processes.ts';
import type { Sample } from '../../test/support/samples.ts';
import type { Resources } from '../runs/stack.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

/** Defaults of the service (platform/settings.ts). */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 768;
const sides: readonly Isolation[] = ['namespaces', 'none'];

/** Measurements of both sides, in the order of `sides`. */
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

/** From the start of a child to its first document: milliseconds, and CPU milliseconds of all processes involved. */
async function measureStarts(sample: Sample, rounds: number, { acquire }: Resources): Promise<{ ms: Both; cpu: Both }> {
  const [ms, cpu]: [Both, Both] = [
    [[], []],
    [[], []],
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const [side, isolation] of sides.entries()) {
      const before = await cpuMs();
      const begun = performance.now();
      const pool = newPool(isolation);
      await acquire(async () => ({ stop: () => pool.close() }));
      await read(pool, sample);
      ms[side]?.push(performance.now() - begun);
      // Before `close`: init reaps a killed isolated child, so its CPU time would be missing.
      cpu[side]?.push((await cpuMs()) - before);
      await pool.close();
    }
  }
  return { ms, cpu };
}

/** Returns the median milliseconds of each sample, warm. Documents that cannot be read are left out on both sides. */
async function measureDocuments(samples: readonly Sample[], rounds: number, { acquire }: Resources): Promise<Both> {
  const pools = sides.map(newPool);
  for (const pool of pools) await acquire(async () => ({ stop: () => pool.close() }));
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

/** Milliseconds of sequential documents in one child: a different owner each time, and always the same owner. */
async function measureOwners(sample: Sample, rounds: number, { acquire }: Resources): Promise<Both> {
  const pool = newPool(defaultIsolation);
  await acquire(async () => ({ stop: () => pool.close() }));
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

/** Measures and returns the report. `pdf` is read by native code, `text` is not. */
export async function isolationReport(
  samples: readonly Sample[],
  { pdf, text }: { pdf: Sample; text: Sample },
  rounds: number,
  resources: Resources,
): Promise<string> {
  const documents = await measureDocuments(samples, rounds, resources);
  const starts = await measureStarts(text, rounds, resources);
  const pdfs = await measureOwners(pdf, rounds, resources);
  const texts = await measureOwners(text, rounds, resources);
  return [
    table([
      ['', 'isolated', 'not isolated', 'ratio'],
      row(`a document, ms (${documents[0].length} samples)`, documents),
      row('start of a child to its first document, ms', starts.ms),
      row('start of a child to its first document, CPU ms', starts.cpu),
    ]),
    table([['', 'new owner each time', 'same owner', 'ratio'], row('a PDF, ms', pdfs), row('a text, ms', texts)]),
  ].join('\n\n');
}
