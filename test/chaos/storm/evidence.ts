/** What is there when everything has settled, as the API, the database, the bucket and Temporal say it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { sourceWorkflowId } from '../../../contract/commands.ts';
import type { Outcome, SourceStatus } from '../../../contract/statuses.ts';
import { ask, type StormUser } from './clients.ts';
import type { Ledger } from './ledger.ts';
import type { Seen } from './observers.ts';
import type { ReceivedPostback, Served } from './outside.ts';
import { type Owed, openRuns } from './settle.ts';
import { tokensIn } from './text.ts';
import type { World } from './world.ts';

/** So many sources are read over HTTP at once. */
const CONCURRENCY = 6;

export interface GenerationEvidence {
  id: string;
  generation: number;
  trigger: string;
  outcome: Outcome | null;
  /** Milliseconds since 1970. */
  createdAt: number;
  finishedAt: number | null;
  contentKey: string | null;
  contentSize: number | null;
  contentGeneration: number | null;
  markdownKey: string | null;
  contextKey: string | null;
}

/** The tokens of each thing that a source shows. */
export interface Results {
  markdown: string[];
  context: string[];
  chunks: string[];
  artifacts: string[];
  /** How many artifacts are links. */
  links: number;
}

const shownSchema = z.object({
  status: z.string(),
  generation: z.int(),
  resultGeneration: z.int().nullable(),
  contextGeneration: z.int().nullable(),
  artifactsGeneration: z.int().nullable(),
  deletedAt: z.string().nullable(),
  initial_data: z.object({ data: z.unknown() }),
  context: z.unknown(),
});

export interface SourceEvidence {
  id: string;
  /** Its name, by which the ledger knows it. */
  marker: string;
  status: SourceStatus;
  generation: number;
  resultGeneration: number | null;
  /** In order. */
  generations: GenerationEvidence[];
  /** What the API answers, deleted or not. */
  shown: z.infer<typeof shownSchema> | null;
  /** Of one that is not deleted and has completed once. */
  results: Results | null;
  /** Tokens of the stored content. */
  content: string[];
}

export interface Evidence {
  ledger: Ledger;
  sources: SourceEvidence[];
  /** The sequences that were seen of a source, one for each observer. */
  seen: { id: string; states: Seen[] }[];
  served: Served[];
  received: (ReceivedPostback & { secret: string })[];
  owed: Owed;
  objects: { key: string; sizeBytes: number }[];
  uploadKeys: string[];
  runs: { workflowId: string; runId: string }[];
  outbox: Record<string, unknown>[];
  postbacks: { sourceId: string; generation: number; state: string; reason: string | null }[];
  ended: string[];
}

async function inTurns<T, U>(list: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const results: U[] = [];
  const left = list.entries();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const [at, item] of left) results[at] = await work(item);
    }),
  );
  return results;
}

/** `npm run admin -- objects collect`, without any grace: nothing runs any more. */
async function collectObjects({ settings, database: _ }: World): Promise<void> {
  const main = fileURLToPath(new URL('../../../apps/admin/main.ts', import.meta.url));
  const args = [main, 'objects', 'collect', '--grace', '0', '--force'];
  await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, ...settings } });
}

async function readResults(user: StormUser, id: string, context: unknown): Promise<Results | null> {
  const read = async (path: string) => (await ask(user, 'GET', `/v1/sources/${id}/${path}`))?.body;
  const [content, chunks, artifacts] = [
    await read('content'),
    await read('context?limit=100'),
    await read('artifacts?limit=100'),
  ];
  if (!content?.data || !chunks?.data || !artifacts?.data) return null;
  return {
    markdown: tokensIn(content.data.markdown),
    context: tokensIn(JSON.stringify(context)),
    chunks: tokensIn(JSON.stringify(chunks.data.chunks)),
    artifacts: tokensIn(JSON.stringify(artifacts.data)),
    links: z
      .array(z.object({ kind: z.string() }))
      .parse(artifacts.data)
      .filter(({ kind }) => kind === 'link').length,
  };
}

const sourceRows = `select s.id, s.name as marker, s.space_id as "spaceId", s.status, s.generation,
    r.generation as "resultGeneration"
  from sources s left join source_generations r on r.id = s.result_generation_id order by s.id`;
const generationRows = `select id, source_id as "sourceId", generation, trigger, outcome,
    extract(epoch from created_at)::float8 * 1000 as "createdAt",
    extract(epoch from finished_at)::float8 * 1000 as "finishedAt", content_key as "contentKey", content_size::int as "contentSize",
    content_generation as "contentGeneration", markdown_key as "markdownKey", context_key as "contextKey"
  from source_generations order by source_id, generation`;
const postbackRows = `select p.source_id as "sourceId", g.generation, p.state, p.reason
  from postbacks p join source_generations g on g.id = p.generation_id`;

async function openSourceRuns(world: World, ids: readonly string[]): Promise<Evidence['runs']> {
  const found = await inTurns(ids, async (id) => {
    const workflowId = sourceWorkflowId(id);
    try {
      const { status, runId } = await world.temporal.workflow.getHandle(workflowId).describe();
      return status.name === 'RUNNING' ? [{ workflowId, runId }] : [];
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return [];
      throw error;
    }
  });
  return found.flat();
}

/** Gathers everything. Superfluous objects are collected first, as an operator does. */
export async function gather(
  world: World,
  users: readonly (StormUser & { secret: string })[],
  logs: Pick<Evidence, 'ledger' | 'seen' | 'served' | 'owed'> & { received: readonly ReceivedPostback[] },
): Promise<Evidence> {
  const { pool } = world.database;
  await collectObjects(world);
  const { rows } = await pool.query(sourceRows);
  const { rows: generations } = await pool.query(generationRows);
  const sources = await inTurns(rows, async ({ spaceId, ...row }): Promise<SourceEvidence> => {
    const own: GenerationEvidence[] = generations.filter(({ sourceId }) => sourceId === row.id);
    const user = users.find((one) => one.spaceId === spaceId);
    if (user === undefined) throw new Error(`${row.id} is in nobody's space.`);
    const answer = await ask(user, 'GET', `/v1/sources/${row.id}?includeDeleted=true`);
    const shown = shownSchema.safeParse(answer?.body?.data).data ?? null;
    const readable = shown !== null && shown.deletedAt === null && shown.resultGeneration !== null;
    const contentKey = own.at(-1)?.contentKey;
    const stored = contentKey ? await world.storage.get(contentKey).catch(() => null) : null;
    return {
      ...{ ...row, shown, generations: own },
      results: readable ? await readResults(user, row.id, shown.context) : null,
      content: stored === null ? [] : tokensIn(new TextDecoder().decode(stored.body)),
    };
  });
  const secrets = new Map(
    rows.map(({ marker, spaceId }) => [marker, users.find((user) => user.spaceId === spaceId)?.secret ?? '']),
  );
  const objects: Evidence['objects'] = [];
  for await (const { key, sizeBytes } of world.storage.list('')) objects.push({ key, sizeBytes });
  return {
    ...logs,
    sources,
    objects,
    received: logs.received.map((one) => ({ ...one, secret: secrets.get(one.marker) ?? '' })),
    uploadKeys: (await pool.query('select file_key from uploads')).rows.map(({ file_key }) => file_key),
    runs: [
      ...(await openRuns(world)),
      ...(await openSourceRuns(
        world,
        rows.map(({ id }) => id),
      )),
    ],
    outbox: (await pool.query('select * from outbox')).rows,
    postbacks: (await pool.query(postbackRows)).rows,
    ended: world.ended,
  };
}
