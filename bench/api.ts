/**
 * `npm run bench:api`: compares create, get, list and wait over 20 connections with a bare Fastify that runs the same
 * statements, alternating between the two; then the API on a space of 100,000 sources with a space of 1,000.
 * docs/benchmarks.md explains the output.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { fillSpace } from './api/fill.ts';
import { type Load, openLoad, type Side } from './api/load.ts';
import { type ApiBenchStack, startApiBenchStack } from './api/stack.ts';
import { runBench } from './bench.ts';
import { markdown } from './content.ts';
import type { Resources } from './runs/stack.ts';
import { median, quantile } from './statistics.ts';
import { figure, table } from './table.ts';

const CONNECTIONS = 20;
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const sizes = values.quick
  ? { rounds: 2, ms: 500, small: 200, large: 2_000 }
  : { rounds: 7, ms: 2_000, small: 1_000, large: 100_000 };

interface Comparison {
  name: string;
  /** Ratios are the first side divided by the second. */
  sides: [{ load: Load; side: Side }, { load: Load; side: Side }];
}

interface Figures {
  name: string;
  rates: [number[], number[]];
  latencies: [number[], number[]];
}

/** Alternates between the two sides of each comparison, after one uncounted warm-up round. */
async function compare(comparisons: Comparison[]): Promise<Figures[]> {
  const all: Figures[] = [];
  for (const { name, sides } of comparisons) {
    const figures: Figures = { name, rates: [[], []], latencies: [[], []] };
    for (let round = 0; round <= sizes.rounds; round += 1) {
      for (const index of [0, 1] as const) {
        const { load, side } = sides[index];
        const { rate, latencies } = await load.run(side, sizes.ms);
        if (round === 0) continue;
        figures.rates[index].push(rate);
        figures.latencies[index].push(...latencies);
      }
    }
    all.push(figures);
  }
  return all;
}

function report(columns: [string, string], all: Figures[]): string {
  return table([
    [
      '',
      `${columns[0]}/s`,
      `${columns[1]}/s`,
      'ratio',
      '(min to max)',
      `${columns[0]} p50, p95 ms`,
      `${columns[1]} p50, p95 ms`,
    ],
    ...all.map(({ name, rates: [ours, theirs], latencies }) => {
      const ratios = ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN));
      const spread = `${figure(Math.min(...ratios), 2)} to ${figure(Math.max(...ratios), 2)}`;
      const [first, second] = latencies.map((each) => `${figure(median(each))}, ${figure(quantile(each, 0.95))}`);
      return [
        name,
        figure(median(ours), 0),
        figure(median(theirs), 0),
        figure(median(ratios), 2),
        spread,
        first ?? '',
        second ?? '',
      ];
    }),
  ]);
}

const pageSchema = z.object({ nextCursor: z.string().nullable() });

/** Reads all pages of 100 and returns the cursor of the last one. */
async function lastCursor({ apiUrl, key }: ApiBenchStack, spaceId: string): Promise<string> {
  let last = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    if (cursor !== '') last = cursor;
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const response = await fetch(`${apiUrl}/v1/spaces/${spaceId}/sources?limit=100${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    cursor = pageSchema.parse(await response.json()).nextCursor;
  }
  return last;
}

async function bench(resources: Resources): Promise<void> {
  const stack = await startApiBenchStack(resources);
  const { apiUrl, bareUrl, ownerId, key, database } = stack;
  const ours = await resources.acquire(async () => openLoad(apiUrl, CONNECTIONS));
  const bare = await resources.acquire(async () => openLoad(bareUrl, CONNECTIONS));
  const headers = { authorization: `Bearer ${key}` };
  const small = await fillSpace(stack, sizes.small);
  const created = await fillSpace(stack, 0);
  const idOf = (ids: string[], index: number) => ids[index % ids.length] ?? '';
  const get = (path: string): Side => ({ request: () => ({ method: 'GET', path, headers }) });

  const getOneOf = (ids: string[]): Side => ({
    request: (index) => ({ method: 'GET', path: `/v1/sources/${idOf(ids, index)}`, headers }),
  });

  // Each wait watches one source, whose revision is incremented by SQL while the request is open.
  const revisions = new Map<string, number>();
  const wait = (path: (id: string, since: number) => string): Side => ({
    request: (index) => {
      const id = idOf(small.sourceIds, index);
      return { method: 'GET', path: path(id, revisions.get(id) ?? 1), headers };
    },
    meanwhile: async (index) => {
      const id = idOf(small.sourceIds, index);
      revisions.set(id, (revisions.get(id) ?? 1) + 1);
      await database.pool.query('update sources set revision = $2 where id = $1', [id, revisions.get(id)]);
    },
  });
  // A wait on an ended source returns immediately, so the sources are set to PROCESSING.
  await database.pool.query("update sources set status = 'PROCESSING' where space_id = $1 and status = 'COMPLETED'", [
    small.spaceId,
  ]);
  small.sourceIds.splice(0, small.sourceIds.length, ...(await listOpenSources(stack, small.spaceId)));

  const byServer = await compare([
    {
      name: 'create, 2 kB',
      sides: [
        {
          load: ours,
          side: {
            request: (index) => ({
              method: 'POST',
              path: `/v1/spaces/${created.spaceId}/sources`,
              headers,
              body: JSON.stringify({ type: 'CONTENT', initial_data: { data: markdown(index) }, instructions: {} }),
            }),
          },
        },
        {
          load: bare,
          side: {
            request: (index) => ({
              method: 'POST',
              path: '/create',
              body: JSON.stringify({ ownerId, spaceId: created.spaceId, data: markdown(index) }),
            }),
          },
        },
      ],
    },
    {
      name: 'get',
      sides: [
        { load: ours, side: getOneOf(small.sourceIds) },
        {
          load: bare,
          side: {
            request: (index) => ({ method: 'GET', path: `/get/${ownerId}/${idOf(small.sourceIds, index)}` }),
          },
        },
      ],
    },
    {
      name: 'list, a page of 50',
      sides: [
        { load: ours, side: get(`/v1/spaces/${small.spaceId}/sources`) },
        { load: bare, side: get(`/list/${ownerId}/${small.spaceId}`) },
      ],
    },
    {
      name: 'wait, until the next change',
      sides: [
        { load: ours, side: wait((id, since) => `/v1/sources/${id}?waitSeconds=30&since=${since}`) },
        { load: bare, side: wait((id, since) => `/wait/${ownerId}/${id}/${since}`) },
      ],
    },
  ]);
  console.log(
    `\nThe API compared with a bare Fastify, ${CONNECTIONS} connections\n${report(['API', 'bare'], byServer)}`,
  );

  const large = await fillSpace(stack, sizes.large);
  const list = (spaceId: string, query: string) => ({ load: ours, side: get(`/v1/spaces/${spaceId}/sources${query}`) });
  const last = await Promise.all([large.spaceId, small.spaceId].map((id) => lastCursor(stack, id)));
  const bySize = await compare([
    { name: 'first page', sides: [list(large.spaceId, ''), list(small.spaceId, '')] },
    {
      name: 'last page of 100',
      sides: [list(large.spaceId, `?limit=100&cursor=${last[0]}`), list(small.spaceId, `?limit=100&cursor=${last[1]}`)],
    },
    {
      name: 'filter by status',
      sides: [list(large.spaceId, '?status=FAILED'), list(small.spaceId, '?status=FAILED')],
    },
    {
      name: 'get',
      sides: [
        { load: ours, side: getOneOf(large.sourceIds) },
        { load: ours, side: getOneOf(small.sourceIds) },
      ],
    },
  ]);
  const of = [sizes.large, sizes.small].map((size) => size.toLocaleString('en'));
  console.log(`\nA space of ${of[0]} sources compared with one of ${of[1]}\n${report(['large', 'small'], bySize)}`);
}

/** Returns the ids of up to 1,000 PROCESSING sources of the space. */
async function listOpenSources({ database }: ApiBenchStack, spaceId: string): Promise<string[]> {
  const { rows } = await database.pool.query(
    "select id from sources where space_id = $1 and status = 'PROCESSING' limit 1000",
    [spaceId],
  );
  return rows.map(({ id }) => String(id));
}

await runBench(bench);
