/**
 * `npm run bench:database`: the transactions of text sources with 1 to 32 clients, beside the same ones without
 * notification, in turns; then claims while 20,000 owners wait. PostgreSQL writes to the disk. Exits 1 when a limit is
 * missed. docs/benchmarks.md says how to read it.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../apps/dev/servers/ports.ts';
import { startPostgres } from '../apps/dev/servers/postgres.ts';
import { runBench } from './bench.ts';
import { measureClaims } from './database/claims.ts';
import { type Notification, openSide, type Side } from './database/side.ts';
import type { Holder } from './runs/stack.ts';
import { median, quantile } from './statistics.ts';
import { figure, table } from './table.ts';

/** Of the rate without notification, at each number of clients. */
const LEAST_RATIO = 0.8;
const MAX_CLAIM_MS = 10;
const OWNERS = 20_000;
const CLIENTS = [1, 2, 4, 8, 16, 32];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Also with pg_notify within the transactions. */
    old: { type: 'boolean', default: false },
  },
});
const sizes = values.quick ? { rounds: 2, ms: 300, claims: 50 } : { rounds: 5, ms: 1_500, claims: 300 };

async function startServer({ hold }: Holder): Promise<string> {
  const { dataFolder } = await hold(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'context-workspace-bench-'));
    return { dataFolder: await realpath(folder), stop: () => rm(folder, { recursive: true, force: true }) };
  });
  const port = await freePort();
  const report = (line: string) => console.log(line);
  return (await hold(() => startPostgres({ dataFolder, port, durable: true, report }))).url;
}

/** Rates of each side in each round, after a round that is not counted. */
async function measure(sides: Side[], clients: number): Promise<number[][]> {
  const rates: number[][] = sides.map(() => []);
  for (let round = 0; round <= sizes.rounds; round += 1) {
    for (const [index, side] of sides.entries()) {
      const rate = await side.run(clients, sizes.ms);
      if (round > 0) rates[index]?.push(rate);
    }
  }
  return rates;
}

/** The rates' medians, and those of the ratios to the second side. */
async function compareSides(sides: Side[]): Promise<{ rows: string[][]; worst: number }> {
  const rows: string[][] = [];
  let worst = Number.POSITIVE_INFINITY;
  for (const clients of CLIENTS) {
    const rates = await measure(sides, clients);
    const [ours = [], none = [], old] = rates;
    const ratiosOf = (side: number[]) => side.map((rate, round) => rate / (none[round] ?? Number.NaN));
    const ratios = ratiosOf(ours);
    worst = Math.min(worst, median(ratios));
    rows.push([
      String(clients),
      ...rates.map((side) => figure(median(side), 0)),
      figure(median(ratios), 2),
      `${figure(Math.min(...ratios), 2)} to ${figure(Math.max(...ratios), 2)}`,
      ...(old ? [figure(median(ratiosOf(old)), 2)] : []),
    ]);
  }
  return { rows, worst };
}

async function bench(holder: Holder): Promise<void> {
  const serverUrl = await startServer(holder);
  const notifications: Notification[] = ['after the commit', 'none', ...(values.old ? ['in the commit' as const] : [])];
  const sides: Side[] = [];
  for (const notification of notifications) {
    sides.push(await openSide(holder, serverUrl, Math.max(...CLIENTS), notification));
  }
  const { rows, worst } = await compareSides(sides);
  const header = [
    'clients',
    ...notifications,
    'ratio',
    '(least to most)',
    ...(values.old ? ['ratio of the last'] : []),
  ];
  console.log(`\nSources/s by when changes are notified, each in 7 transactions\n${table([header, ...rows])}`);

  const claims = await measureClaims(holder, serverUrl, OWNERS, sizes.claims);
  const claimMs = median(claims);
  console.log(`\nA claim of 20 commands while ${OWNERS.toLocaleString('en')} owners wait: median ${figure(claimMs)} ms, \
p95 ${figure(quantile(claims, 0.95))} ms`);
  if (worst < LEAST_RATIO)
    throw new Error(`The least ratio is ${figure(worst, 2)}; it must be ${LEAST_RATIO} or more.`);
  if (claimMs > MAX_CLAIM_MS) throw new Error(`A claim takes ${figure(claimMs)} ms; the limit is ${MAX_CLAIM_MS} ms.`);
}

await runBench(bench);
