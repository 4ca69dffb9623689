/**
 * `npm run bench:database`: compares the transactions of text sources with 1 to 32 clients with the same transactions
 * without notification, alternating; then measures claims while 20,000 owners have commands. PostgreSQL syncs to disk.
 * Exits 1 when a limit is missed. docs/benchmarks.md explains the output.
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
import type { Resources } from './runs/stack.ts';
import { median, quantile } from './statistics.ts';
import { figure, table } from './table.ts';

/** Minimum rate as a share of the rate without notification, at each number of clients. */
const MIN_RATIO = 0.8;
const MAX_CLAIM_MS = 10;
const OWNERS = 20_000;
const CLIENTS = [1, 2, 4, 8, 16, 32];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    /** Also measures pg_notify inside the transactions. */
    old: { type: 'boolean', default: false },
  },
});
const sizes = values.quick ? { rounds: 2, ms: 300, claims: 50 } : { rounds: 5, ms: 1_500, claims: 300 };

async function startServer({ acquire }: Resources): Promise<string> {
  const { dataFolder } = await acquire(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'context-workspace-bench-'));
    return { dataFolder: await realpath(folder), stop: () => rm(folder, { recursive: true, force: true }) };
  });
  const port = await freePort();
  const report = (line: string) => console.log(line);
  return (await acquire(() => startPostgres({ dataFolder, port, durable: true, report }))).url;
}

/** Returns the rates of each side in each round, after one uncounted warm-up round. */
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

/** Returns a table row for each number of clients, and the lowest median ratio to the second side. */
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

async function bench(resources: Resources): Promise<void> {
  const serverUrl = await startServer(resources);
  const notifications: Notification[] = ['after the commit', 'none', ...(values.old ? ['in the commit' as const] : [])];
  const sides: Side[] = [];
  for (const notification of notifications) {
    sides.push(await openSide(resources, serverUrl, Math.max(...CLIENTS), notification));
  }
  const { rows, worst } = await compareSides(sides);
  const header = [
    'clients',
    ...notifications,
    'ratio',
    '(min to max)',
    ...(values.old ? ['ratio of the last column'] : []),
  ];
  console.log(`\nSources/s by time of notification, 7 transactions each\n${table([header, ...rows])}`);

  const claims = await measureClaims(resources, serverUrl, OWNERS, sizes.claims);
  const claimMs = median(claims);
  console.log(`\nA claim of 20 commands while ${OWNERS.toLocaleString('en')} owners have commands: median ${figure(claimMs)} ms, \
p95 ${figure(quantile(claims, 0.95))} ms`);
  if (worst < MIN_RATIO) throw new Error(`The lowest ratio is ${figure(worst, 2)}; the minimum is ${MIN_RATIO}.`);
  if (claimMs > MAX_CLAIM_MS) throw new Error(`A claim takes ${figure(claimMs)} ms; the limit is ${MAX_CLAIM_MS} ms.`);
}

await runBench(bench);
