/**
 * `npm run bench:api`: create, get, list and wait over 20 connections, beside a bare Fastify with the same statements,
 * in turns; then the same requests to a space of 100,000 sources beside one of 1,000. docs/benchmarks.md says how to
 * read it.
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { fillSpace } from './api/fill.ts';
import { type Load, openLoad, type Side } from './api/load.ts';
import { type ApiBenchStack, startApiBenchStack } from './api/stack.ts';
import { runBench } from './bench.ts';
import { markdown } from './content.ts';
import type { Holder } from './runs/stack.ts';
import { median, quantile } from './statistics.ts';
import { figure, table } from './table.ts';

const CONNECTIONS = 20;
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const sizes = values.quick
  ? { rounds: 2, ms: 500, small: 200, large: 2_000 }
  : { rounds: 7, ms: 2_000, small: 1_000, large: 100_000 };

interface Comparison {
  name: string;
  /** The first is measured against the second. */
  sides: [{ load: Load; side: Side }, { load: Load; side: Side }];
}

interface Figures {
  name: string;
  rates: [number[], number[]];
  latencies: [number[], number[]];
}

/** Both sides of each comparison in turns, after a round that is not counted. */
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
      '(least to most)',
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

/** The cursor of the last page. */
async function lastCursor({ apiUrl, key }: ApiBenchStack, spaceId: string): Promise<string> {
  let last = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    if (cursor !== '') last = cursor;
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await fetch(`${apiUrl}/v1/spaces/${spaceId}/sources?limit=100${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    cursor = pageSchema.parse(await answer.json()).nextCursor;
  }
  return last;
}

async function bench(holder: Holder): Promise<void> {
  const stack = await startApiBenchStack(holder);
  const { apiUrl, bareUrl, ownerId, key, database } = stack;
  const ours = await holder.hold(async () => openLoad(apiUrl, CONNECTIONS));
  const bare = await holder.hold(async () => openLoad(bareUrl, CONNECTIONS));
  const headers = { authorization: `Bearer ${key}` };
  const small = await fillSpace(stack, sizes.small);
  const created = await fillSpace(stack, 0);
  const idOf = (ids: string[], index: number) => ids[index % ids.length] ?? '';
  const get = (path: string): Side => ({ request: () => ({ method: 'GET', path, headers }) });

  const getOneOf = (ids: string[]): Side => ({
    request: (index) => ({ method: 'GET', path: `/v1/sources/${idOf(ids, index)}`, headers }),
  });

  // Each wait is for a source of its own lane's, whose revision is raised while the request is under way.
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
  // Only what has not ended can be waited for.
  await database.pool.query("update sources set status = 'PROCESSING' where space_id = $1 and status = 'COMPLETED'", [
    small.spaceId,
  ]);
  small.sourceIds.splice(0, small.sourceIds.length, ...(await open(stack, small.spaceId)));

  const beside = await compare([
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
      name: 'wait, to the next change',
      sides: [
        { load: ours, side: wait((id, since) => `/v1/sources/${id}?waitSeconds=30&since=${since}`) },
        { load: bare, side: wait((id, since) => `/wait/${ownerId}/${id}/${since}`) },
      ],
    },
  ]);
  console.log(`\nThe API beside a bare Fastify, ${CONNECTIONS} connections\n${report(['API', 'bare'], beside)}`);

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
  console.log(`\nA space of ${of[0]} sources beside one of ${of[1]}\n${report(['large', 'small'], bySize)}`);
}

async function open({ database }: ApiBenchStack, spaceId: string): Promise<string[]> {
  const { rows } = await database.pool.query(
    "select id from sources where space_id = $1 and status = 'PROCESSING' limit 1000",
    [spaceId],
  );
  return rows.map(({ id }) => String(id));
}

await runBench(bench);
