/** Runs sources of the service and measures from the HTTP create request to COMPLETED in the database. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { query, statement } from '../../db/sql.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { inFlight } from '../../test/support/in-flight.ts';
import { now } from '../clock.ts';
import { markdown } from '../content.ts';
import { BURST_POLL_MS, SINGLE_POLL_MS, TIMEOUT_MS } from './polling.ts';
import type { BenchStack } from './stack.ts';

const ended = statement<{ completed: number; otherwise: number }>(
  'bench-ended',
  `select count(*) filter (where status = 'COMPLETED') as completed,
          count(*) filter (where status in ('FAILED', 'CANCELED')) as otherwise
   from sources where space_id = $1`,
);
const status = statement<{ status: string }>('bench-status', 'select status from sources where id = $1');

export interface SourceTimes {
  created: number;
  begin: number;
  context: number;
  artifacts: number;
  finish: number;
}

const inMs = (time: string) => `extract(epoch from ${time})::float8 * 1000`;
const stageTime = (stage: string) => inMs(`(g.stage_times ->> '${stage}')::timestamptz`);
const times = statement<SourceTimes>(
  'bench-times',
  `select ${inMs('s.created_at')} as created, ${stageTime('begin')} as begin, ${stageTime('context')} as context,
          ${stageTime('artifacts')} as artifacts, ${stageTime('finish')} as finish
   from sources s join source_generations g on g.source_id = s.id
   where s.id = $1 or s.space_id = $2`,
);

const createdSchema = z.object({ data: z.object({ id: z.string() }) });

export interface SingleSource {
  id: string;
  requested: number;
  responded: number;
  seen: number;
  times: SourceTimes;
}

export type ServiceSide = Awaited<ReturnType<typeof openServiceSide>>;

/** Creates a user of the service and returns the measurements that a bench runs as that user. */
export async function openServiceSide({ apiUrl, database }: BenchStack, name: string) {
  const { key } = await createUser(database.pool, { email: `${name}@example.com`, name, plan: 'pro' });
  let seed = 0;

  async function post(path: string, body: unknown): Promise<string> {
    const response = await fetch(`${apiUrl}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path} returned ${response.status}: ${text}`);
    return createdSchema.parse(JSON.parse(text)).data.id;
  }
  const createSpace = () => post('/spaces', { name: 'Bench' });
  const createSource = (spaceId: string) => {
    seed += 1;
    const body = { type: 'CONTENT', initial_data: { data: markdown(seed) }, instructions: {} };
    return post(`/spaces/${spaceId}/sources`, body);
  };
  const singles = await createSpace();

  async function awaitCompleted(spaceId: string, count: number): Promise<void> {
    for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await delay(BURST_POLL_MS)) {
      const [row] = await query(database.pool, ended, [spaceId]);
      if (row !== undefined && row.otherwise > 0) throw new Error(`${row.otherwise} sources did not complete.`);
      if (row?.completed === count) return;
    }
    throw new Error(`${count} sources were not COMPLETED within ${TIMEOUT_MS / 1000} s.`);
  }

  return {
    /** Creates `count` sources and returns the seconds until all of them are COMPLETED in the database. */
    async burst(count: number, concurrency: number): Promise<{ seconds: number; times: SourceTimes[] }> {
      const spaceId = await createSpace();
      const started = now();
      const completed = awaitCompleted(spaceId, count);
      await Promise.all([
        completed,
        inFlight(count, concurrency, async () => {
          await createSource(spaceId);
        }),
      ]);
      const seconds = (now() - started) / 1000;
      return { seconds, times: await query(database.pool, times, [null, spaceId]) };
    },

    /** Creates one source and waits until it is COMPLETED in the database. */
    async single(): Promise<SingleSource> {
      const requested = now();
      const id = await createSource(singles);
      const responded = now();
      for (;;) {
        const [row] = await query(database.pool, status, [id]);
        if (row?.status === 'COMPLETED') break;
        if (row?.status === 'FAILED') throw new Error(`Source ${id} failed.`);
        if (now() - requested > TIMEOUT_MS) throw new Error(`Source ${id} was not COMPLETED in time.`);
        await delay(SINGLE_POLL_MS);
      }
      const seen = now();
      const [found] = await query(database.pool, times, [id, null]);
      if (found === undefined) throw new Error(`Source ${id} is missing from the database.`);
      return { id, requested, responded, seen, times: found };
    },
  };
}
