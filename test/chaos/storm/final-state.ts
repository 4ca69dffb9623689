/** State after a chaos run, read from the API, the database, the bucket, Temporal, the mail server and the logs. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { sourceWorkflowId } from '../../../contract/commands.ts';
import type { Outcome, SourceStatus, Trigger } from '../../../contract/statuses.ts';
import { findUsageDifferences, type UsageDifference } from '../../support/usage.ts';
import { listOpenRuns, type Pending } from './await-end.ts';
import type { Cluster } from './cluster.ts';
import type { History } from './history.ts';
import { type LogLine, type Mail, readLogs, readMails } from './logs.ts';
import type { Sequence } from './observers.ts';
import { collectObjects } from './operator.ts';
import type { ReceivedPostback, Served } from './outside.ts';
import { type ChaosUser, sendRequest } from './requests.ts';
import { tokensIn } from './text.ts';

/** Sources that are read over HTTP concurrently. */
const CONCURRENCY = 6;

export interface GenerationState {
  id: string;
  generation: number;
  trigger: Trigger;
  /** Recoveries only: why the run was replaced. */
  cause: string | null;
  outcome: Outcome | null;
  errorCode: string | null;
  fetches: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
  finishedAt: number | null;
  contentKey: string | null;
  contentSize: number | null;
  contentGeneration: number | null;
  markdownKey: string | null;
  contextKey: string | null;
  skippedMembers: { id: string; code: string }[];
}

/** Tokens found in each kind of result of a source. */
export interface Results {
  markdown: string[];
  context: string[];
  chunks: string[];
  artifacts: string[];
  /** Number of artifacts by kind. */
  kinds: Record<string, number>;
}

const shownSchema = z.object({
  status: z.string(),
  generation: z.int(),
  resultGeneration: z.int().nullable(),
  contextGeneration: z.int().nullable(),
  artifactsGeneration: z.int().nullable(),
  deletedAt: z.string().nullable(),
  postback: z.object({ id: z.string(), state: z.string() }).nullable(),
  initial_data: z.object({ data: z.unknown() }),
  context: z.unknown(),
});

export interface SourceState {
  id: string;
  /** The source's name, which identifies it in the history. */
  marker: string;
  spaceId: string;
  status: SourceStatus;
  generation: number;
  resultGeneration: number | null;
  /** `initial_data.data` of the row. */
  data: unknown;
  /** In ascending order. */
  generations: GenerationState[];
  /** The source as the API returns it, including deleted ones. */
  shown: z.infer<typeof shownSchema> | null;
  /** Postbacks as the API lists them. */
  deliveries: { id: string; generation: number; state: string }[];
  /** Null if the source is deleted or has never completed. */
  results: Results | null;
  /** Tokens in the stored content object. */
  content: string[];
}

export interface ArtifactState {
  id: string;
  sourceId: string;
  status: string;
  promotedSourceId: string | null;
}

interface StoredObject {
  key: string;
  sizeBytes: number;
}

export interface FinalState {
  history: History;
  /** Time during which a deleted source can be restored. */
  retentionMs: number;
  sources: SourceState[];
  artifacts: ArtifactState[];
  tickets: { id: string; status: string }[];
  mails: Mail[];
  /** Observed state sequences, one for each stream or wait. */
  seen: Sequence[];
  served: Served[];
  received: (ReceivedPostback & { secret: string })[];
  pending: Pending;
  /** Objects before the operator ran "objects collect". */
  objectsBefore: StoredObject[];
  /** Objects after it. */
  objects: StoredObject[];
  uploadKeys: string[];
  runs: { workflowId: string; runId: string }[];
  outbox: Record<string, unknown>[];
  postbacks: { id: string; sourceId: string; generation: number; state: string; reason: string | null }[];
  logs: LogLine[];
  ended: string[];
  /** Owners and spaces whose usage counters differ from the rows. */
  usage: UsageDifference[];
  /** Ended sources that still count as open runs. */
  countedAsOpen: string[];
  /** Count of each fault, such as `kill postgres`. */
  faults: ReadonlyMap<string, number>;
}

async function mapConcurrently<T, U>(list: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const results: U[] = [];
  const left = list.entries();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const [at, item] of left) results[at] = await work(item);
    }),
  );
  return results;
}

async function listObjects({ storage }: Cluster): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const { key, sizeBytes } of storage.list('')) objects.push({ key, sizeBytes });
  return objects;
}

const kindsSchema = z.array(z.object({ kind: z.string() }));

async function readResults(apiUrl: string, key: string, id: string, context: unknown): Promise<Results | null> {
  const read = async (path: string) => (await sendRequest(apiUrl, key, 'GET', `/v1/sources/${id}/${path}`))?.body;
  const [content, chunks, artifacts] = [
    await read('content'),
    await read('context?limit=100'),
    await read('artifacts?limit=100'),
  ];
  if (!content?.data || !chunks?.data || !artifacts?.data) return null;
  const kinds = Map.groupBy(kindsSchema.parse(artifacts.data), ({ kind }) => kind);
  return {
    markdown: tokensIn(content.data.markdown),
    context: tokensIn(JSON.stringify(context)),
    chunks: tokensIn(JSON.stringify(chunks.data.chunks)),
    artifacts: tokensIn(JSON.stringify(artifacts.data)),
    kinds: Object.fromEntries([...kinds].map(([kind, list]) => [kind, list.length])),
  };
}

const deliveriesSchema = z.array(z.object({ id: z.string(), generation: z.int(), state: z.string() }));

async function readDeliveries(apiUrl: string, key: string, id: string): Promise<SourceState['deliveries']> {
  const response = await sendRequest(apiUrl, key, 'GET', `/v1/sources/${id}/postbacks?limit=100`);
  return deliveriesSchema.parse(response?.body?.data ?? []);
}

const sourceRows = `select s.id, s.name as marker, s.space_id as "spaceId", s.status, s.generation,
    r.generation as "resultGeneration", s.initial_data -> 'data' as data, p.owner_id as "ownerId"
  from sources s join spaces p on p.id = s.space_id
    left join source_generations r on r.id = s.result_generation_id order by s.id`;
const generationRows = `select id, source_id as "sourceId", generation, trigger, to_jsonb(g) ->> 'cause' as cause, outcome,
    error ->> 'code' as "errorCode", fetches, extract(epoch from created_at)::float8 * 1000 as "createdAt",
    extract(epoch from finished_at)::float8 * 1000 as "finishedAt", content_key as "contentKey",
    content_size::int as "contentSize", content_generation as "contentGeneration", markdown_key as "markdownKey",
    context_key as "contextKey", skipped_members as "skippedMembers"
  from source_generations g order by source_id, generation`;
const postbackRows = `select p.id, p.source_id as "sourceId", g.generation, p.state, p.reason
  from postbacks p join source_generations g on g.id = p.generation_id`;
const artifactRows = `select id, source_id as "sourceId", status, promoted_source_id as "promotedSourceId" from artifacts`;

async function openSourceRuns(cluster: Cluster, ids: readonly string[]): Promise<FinalState['runs']> {
  const found = await mapConcurrently(ids, async (id) => {
    const workflowId = sourceWorkflowId(id);
    try {
      const { status, runId } = await cluster.temporal.workflow.getHandle(workflowId).describe();
      return status.name === 'RUNNING' ? [{ workflowId, runId }] : [];
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return [];
      throw error;
    }
  });
  return found.flat();
}

export interface Owner extends ChaosUser {
  userId: string;
  secret: string;
}

/** Reads the final state. Lists the objects, runs the operator's "objects collect", and lists them again. */
export async function readFinalState(
  cluster: Cluster,
  owners: readonly Owner[],
  known: Pick<FinalState, 'history' | 'seen' | 'served' | 'pending' | 'faults'> & {
    received: readonly ReceivedPostback[];
  },
): Promise<FinalState> {
  const { pool } = cluster.database;
  const objectsBefore = await listObjects(cluster);
  await collectObjects(cluster);
  const { rows } = await pool.query(sourceRows);
  const { rows: generations } = await pool.query(generationRows);
  const ownerOf = (userId: string): Owner => {
    const found = owners.find((one) => one.userId === userId);
    if (found === undefined) throw new Error(`${userId} is not a user of this chaos run.`);
    return found;
  };
  const sources = await mapConcurrently(rows, async ({ ownerId, ...row }): Promise<SourceState> => {
    const own: GenerationState[] = generations.filter(({ sourceId }) => sourceId === row.id);
    const { key } = ownerOf(ownerId);
    const response = await sendRequest(cluster.apiUrl, key, 'GET', `/v1/sources/${row.id}?includeDeleted=true`);
    const shown = shownSchema.safeParse(response?.body?.data).data ?? null;
    const readable = shown !== null && shown.deletedAt === null && shown.resultGeneration !== null;
    const contentKey = own.at(-1)?.contentKey;
    const stored = contentKey ? await cluster.storage.get(contentKey).catch(() => null) : null;
    return {
      ...{ ...row, shown, generations: own, deliveries: await readDeliveries(cluster.apiUrl, key, row.id) },
      results: readable ? await readResults(cluster.apiUrl, key, row.id, shown.context) : null,
      content: stored === null ? [] : tokensIn(new TextDecoder().decode(stored.body)),
    };
  });
  const markers = known.history.sources;
  const secretOf = (marker: string): string => {
    return owners.find(({ key }) => key === markers.get(marker)?.ownerKey)?.secret ?? '';
  };
  return {
    ...known,
    ...{ sources, objectsBefore, objects: await listObjects(cluster), retentionMs: cluster.retentionMs },
    artifacts: (await pool.query(artifactRows)).rows,
    tickets: (await pool.query('select id, status from support_tickets')).rows,
    mails: await readMails(cluster.mailFolder),
    received: known.received.map((one) => ({ ...one, secret: secretOf(one.marker) })),
    uploadKeys: (await pool.query('select file_key from uploads')).rows.map(({ file_key }) => file_key),
    runs: [
      ...(await listOpenRuns(cluster)),
      ...(await openSourceRuns(
        cluster,
        rows.map(({ id }) => id),
      )),
    ],
    outbox: (await pool.query('select * from outbox')).rows,
    postbacks: (await pool.query(postbackRows)).rows,
    logs: await readLogs(cluster.folder),
    ended: cluster.ended,
    usage: await findUsageDifferences(pool),
    countedAsOpen: (await pool.query("select id from sources where run_open and status_group <> 'OPEN'")).rows.map(
      ({ id }) => id,
    ),
  };
}
