/**
 * Each list is read through an index: the procedures are called on a database with thousands of rows, their statements
 * are recorded, and PostgreSQL explains them. A named statement is planned once for all values, so its generic plan
 * is the one that counts.
 */
import { randomUUID } from 'node:crypto';
import { Client, type PoolClient } from 'pg';
import { z } from 'zod';
import { openMigrated } from '../../apps/dev/service.ts';
import { callInProcess, type InProcess } from '../support/in-process.ts';
import { stack } from '../support/stack.ts';

const ROWS = 8_000;
/** Rows: a page and one more, or all generations of one source; the lists here are far longer. */
const MAX_SORTED = 101;
/** The owner, their space, a collection in it, a source with many generations, and an artifact's source. */
const [ownerId, spaceId, collectionId, sourceId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

// One owner has most rows, others the rest, as in production; the space is the largest of all.
const fill = `
  insert into users (id, email, name)
    select case when n = 0 then '${ownerId}'::uuid else gen_random_uuid() end, n || '@example.com', 'U'
    from generate_series(0, 50) n;
  create temp table owners as select id, row_number() over () as nr from users;
  insert into spaces (id, owner_id, name, created_at, deleted_at, deletion_id)
    select case when n = 0 then '${spaceId}'::uuid else gen_random_uuid() end,
      case when n % 10 = 0 then '${ownerId}'::uuid else (select id from owners where nr = 1 + g.n % 50) end,
      'Space ' || n, now() - make_interval(secs => n), case when n % 5 = 4 then now() end,
      case when n % 5 = 4 then gen_random_uuid() end
    from generate_series(0, 8000) as g(n);
  create temp table others as select id, owner_id, row_number() over () as nr from spaces where id <> '${spaceId}';
  insert into collections (id, space_id, name)
    select case when n = 0 then '${collectionId}'::uuid else gen_random_uuid() end, '${spaceId}', 'C' || n
    from generate_series(0, 99) n;
  create temp table places as select id, row_number() over () as nr from collections;
  insert into api_keys (id, user_id, name, key_hash, prefix, last4, scopes, created_at)
    select gen_random_uuid(), case when n % 10 = 0 then '${ownerId}'::uuid else (select id from owners where nr = 1 + g.n % 50) end,
      'K', sha256(n::text::bytea), 'cws_', '0000', '{read}', now() - make_interval(secs => n)
    from generate_series(1, 8000) as g(n);
  insert into sources (id, owner_id, space_id, collection_id, type, name, name_derived, status, generation, initial_data,
      instructions, metadata, external_id, pinned, created_at, deleted_at)
    select case when n = 0 then '${sourceId}'::uuid else gen_random_uuid() end,
      coalesce(o.owner_id, '${ownerId}'), coalesce(o.id, '${spaceId}'),
      case when o.id is null and n % 4 <> 0 then (select id from places where nr = 1 + g.n % 100) end,
      case when n % 10 = 0 then 'COMPOSITION' when n % 3 = 0 then 'CONTENT' else 'URI' end,
      'Source ' || md5(n::text), true,
      case when n % 20 = 0 then 'FAILED' when n % 33 = 0 then 'PROCESSING' else 'COMPLETED' end, 1,
      '{"data": "x"}', '{}', '{}', 'ticket-' || n, n % 100 = 0, now() - make_interval(secs => n),
      case when n % 9 = 8 then now() end
    from generate_series(0, ${ROWS}) as g(n) left join others o on g.n % 2 = 1 and o.nr = 1 + g.n % 40;
  insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction,
      run_artifact_extraction, outcome, finished_at)
    select gen_random_uuid(), id, 1, 'create', false, true, true, 'COMPLETED', now() from sources
    union all
    select gen_random_uuid(), '${sourceId}', n, 'reprocess', false, true, true, 'COMPLETED', now()
    from generate_series(2, 100) n;
  insert into postbacks (id, source_id, generation_id, url, body, state)
    select gen_random_uuid(), source_id, id, 'https://example.com', '{}', 'delivered' from source_generations;
  insert into postback_attempts (postback_id, round, attempt, at, status_code, duration_ms)
    select id, 1, 1, now(), 200, 10 from postbacks;
  insert into artifacts (id, source_id, space_id, kind, content_hash, ordinal, title, content, position, metadata, status)
    select gen_random_uuid(), s.id, s.space_id, case when k = 0 then 'code' else 'link' end,
      encode(sha256((s.id::text || k)::bytea), 'hex'), 0, 'Artifact ' || md5(k || s.name), 'x',
      '{"start":0,"end":1,"startLine":1,"endLine":1}', '{}', case when k = 2 then 'PROCESSED' else 'EXTRACTED' end
    from sources s cross join generate_series(0, 2) k;
  analyze;`;

const tables = ['sources', 'source_generations', 'artifacts', 'spaces', 'api_keys', 'postbacks', 'postback_attempts'];

interface Sent {
  name: string | undefined;
  text: string;
  values: unknown[];
}

const sentSchema = z.object({ name: z.string().optional(), text: z.string(), values: z.array(z.unknown()).optional() });
const sent: Sent[] = [];

const watched = new WeakSet<PoolClient>();

/** Records the statements that are sent over a connection. */
function watch(connection: PoolClient): void {
  if (watched.has(connection)) return;
  watched.add(connection);
  const send = connection.query;
  const query = (...args: unknown[]) => {
    const [first, second] = args;
    const { name, text, values = second } = sentSchema.parse(typeof first === 'string' ? { text: first } : first);
    sent.push({ name, text, values: Array.isArray(values) ? values : [] });
    return Reflect.apply(send, connection, args);
  };
  Object.assign(connection, { query });
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  /** Per execution of the node. */
  'Actual Rows': number;
  Plans?: PlanNode[] | undefined;
}
const nodeSchema: z.ZodType<PlanNode> = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Actual Rows': z.number(),
  get Plans() {
    return z.array(nodeSchema).optional();
  },
});
const explained = z.object({ rows: z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: nodeSchema })]) })]) });

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The tables of which a plan reads all rows. */
function tablesReadWhole(plan: PlanNode): string[] {
  return nodesOf(plan).flatMap(({ 'Node Type': type, 'Relation Name': table = '' }) =>
    type === 'Seq Scan' && tables.includes(table) ? [table] : [],
  );
}

/** The largest number of rows that a plan sorts. */
function sorted(plan: PlanNode): number {
  const sorts = nodesOf(plan).filter((node) => /Sort$/.test(node['Node Type']));
  return Math.max(0, ...sorts.flatMap(({ Plans = [] }) => Plans.map((input) => input['Actual Rows'])));
}

let admin: Client;
let client: Client;
let inProcess: InProcess;
const name = `plans_${randomUUID().slice(0, 8)}`;

beforeAll(async () => {
  const url = new URL(stack().settings.DATABASE_URL ?? '');
  admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database "${name}"`);
  url.pathname = `/${name}`;
  await (await openMigrated(url.href)).close();
  inProcess = await callInProcess(ownerId, { databaseUrl: url.href });
  inProcess.database.pool.on('acquire', watch);
  client = new Client({ connectionString: url.href });
  await client.connect();
  // Without triggers and foreign keys, which cost more than the rows.
  await client.query('set session_replication_role = replica');
  await client.query(fill);
});
afterAll(async () => {
  await Promise.all([inProcess?.close(), client?.end()]);
  await admin.query(`drop database "${name}" with (force)`);
  await admin.end();
});

/** The reading statements that `work` sends, through the ORM or not. */
async function recordedReads(work: () => Promise<unknown>): Promise<Sent[]> {
  sent.length = 0;
  await work();
  return sent.filter(({ text }) => /^\s*(with|select)\b/i.test(text));
}

async function planOf({ name, text, values }: Sent): Promise<PlanNode> {
  await client.query(`set plan_cache_mode = ${name === undefined ? 'force_custom_plan' : 'force_generic_plan'}`);
  await client.query(`prepare explained as ${text}`);
  try {
    const literals = values.map((value) =>
      value === null ? 'null' : client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value)),
    );
    const result = await client.query(
      `explain (analyze, format json) execute explained${literals.length > 0 ? `(${literals.join(', ')})` : ''}`,
    );
    return explained.parse(result).rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('deallocate explained');
  }
}

const api = () => inProcess.api;
const after = async (list: Promise<{ nextCursor: string | null }>) => (await list).nextCursor ?? '';
const inSpace = { spaceId };
const inCollection = { collectionId };

const sourceFilters = {
  none: {},
  status: { status: 'FAILED' },
  type: { type: 'COMPOSITION' },
  pinned: { pinned: true },
  'not pinned': { pinned: false },
  externalId: { externalId: 'ticket-12' },
  q: { q: 'abc' },
  deleted: { deleted: 'only' },
  'status and type': { status: 'FAILED', type: 'URI' },
  'everything but deleted': { status: 'FAILED', type: 'URI', pinned: false, externalId: 'ticket-20', q: 'a' },
  'everything, deleted': {
    status: 'FAILED',
    type: 'URI',
    pinned: false,
    externalId: 'ticket-20',
    q: 'a',
    deleted: 'only',
  },
} as const;
const artifactFilters = {
  none: {},
  kind: { kind: 'code' },
  status: { status: 'PROCESSED' },
  sourceId: { sourceId },
  q: { q: 'abc' },
  'kind and status': { kind: 'link', status: 'PROCESSED' },
} as const;

const lists: [string, () => Promise<unknown>][] = [
  ['spaces', () => api().spaces.list({})],
  ['spaces, second page', async () => api().spaces.list({ cursor: await after(api().spaces.list({})) })],
  ['spaces by q', () => api().spaces.list({ q: '77' })],
  ['deleted spaces', () => api().spaces.list({ deleted: 'only' })],
  ['API keys', () => api().apiKeys.list({})],
  ['API keys, second page', async () => api().apiKeys.list({ cursor: await after(api().apiKeys.list({})) })],
  ['collections', () => api().collections.list(inSpace)],
  ...Object.entries(sourceFilters).flatMap(([name, filters]): [string, () => Promise<unknown>][] => [
    [`sources of a space by ${name}`, () => api().sources.list({ ...inSpace, ...filters })],
    [`sources of a collection by ${name}`, () => api().sources.listOfCollection({ ...inCollection, ...filters })],
  ]),
  ['sources of a space by collection', () => api().sources.list({ ...inSpace, collectionId })],
  [
    'sources of a space, second page',
    async () => api().sources.list({ ...inSpace, cursor: await after(api().sources.list(inSpace)) }),
  ],
  [
    'sources of a space by type, second page',
    async () => {
      const type = 'URI' as const;
      return api().sources.list({ ...inSpace, type, cursor: await after(api().sources.list({ ...inSpace, type })) });
    },
  ],
  ...Object.entries(artifactFilters).map(([name, filters]): [string, () => Promise<unknown>] => [
    `artifacts of a space by ${name}`,
    () => api().artifacts.list({ ...inSpace, ...filters }),
  ]),
  ['artifacts of a source', () => api().sources.artifacts({ sourceId })],
  ['artifacts of a source by kind', () => api().sources.artifacts({ sourceId, kind: 'code' })],
  ['generations', () => api().sources.generations({ sourceId })],
  [
    'generations, second page',
    async () => api().sources.generations({ sourceId, cursor: await after(api().sources.generations({ sourceId })) }),
  ],
  ['postbacks', () => api().sources.postbacks({ sourceId })],
];

test.each(lists)('%s: no table is read whole, and at most 101 rows are sorted', async (_, list) => {
  const wrong: string[] = [];
  const queries = await recordedReads(list);
  expect(queries).not.toEqual([]);
  for (const query of queries) {
    const plan = await planOf(query);
    for (const table of tablesReadWhole(plan)) wrong.push(`${query.text}\nreads all of ${table}`);
    if (sorted(plan) > MAX_SORTED) wrong.push(`${query.text}\nsorts ${sorted(plan)} rows`);
  }
  expect(wrong).toEqual([]);
});
