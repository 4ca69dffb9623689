/**
 * Baseline of `npm run bench:api`: Fastify and the service's own SQL statements on a connection pool. No API keys, no
 * schemas, no limits, no metrics, no error format.
 */
import fastify from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { listen } from '../../db/listen.ts';
import { openDatabase } from '../../db/orm.ts';
import { listSources } from '../../db/queries/sources/list-sources.ts';
import { readSource } from '../../db/queries/sources/read-sources.ts';
import { createSource, type NewSource } from '../../db/transitions/sources/create-source.ts';
import { loadConfig } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { onShutdownSignal } from '../../platform/shutdown.ts';

interface CreateBody {
  ownerId: string;
  spaceId: string;
  data: string;
}

const config = loadConfig();
const database = await openDatabase(config.DATABASE_URL, config.DATABASE_POOL_MAX);
const app = fastify({ bodyLimit: 16 * 1024 * 1024 });
/** Callbacks of open waits by source id. */
const waiters = new Map<string, Set<() => void>>();

const listener = listen(config.DATABASE_URL, 'changes', createLogger('bare-api', 'warn'), (payload) => {
  const [, id = ''] = payload.split(':');
  for (const notify of waiters.get(id) ?? []) notify();
});

app.get('/health', async () => ({ status: 'ok' }));

app.post<{ Body: CreateBody }>('/create', async ({ body: { ownerId, spaceId, data } }, reply) => {
  const source: NewSource = {
    id: uuidv7(),
    ownerId,
    spaceId,
    collectionId: null,
    type: 'CONTENT',
    name: 'Bare',
    nameDerived: false,
    initialData: { data },
    instructions: {},
    metadata: {},
    externalId: null,
    uploadId: null,
    claim: null,
  };
  await createSource(database.pool, source);
  return reply.code(201).send({ data: source });
});

const whole = { maxBytes: Number.MAX_SAFE_INTEGER };

app.get<{ Params: { ownerId: string; id: string } }>('/get/:ownerId/:id', async ({ params }) => ({
  data: await readSource(database.pool, params.ownerId, params.id, whole),
}));

app.get<{ Params: { ownerId: string; spaceId: string } }>('/list/:ownerId/:spaceId', async ({ params }) => ({
  data: await listSources(database.pool, { spaceId: params.spaceId }, { limit: 51, after: null }),
}));

app.get<{ Params: { ownerId: string; id: string; since: string } }>(
  '/wait/:ownerId/:id/:since',
  async ({ params: { ownerId, id, since } }) => {
    const change = Promise.withResolvers<void>();
    const sourceWaiters = waiters.get(id) ?? new Set();
    waiters.set(id, sourceWaiters.add(change.resolve));
    const source = await readSource(database.pool, ownerId, id, whole);
    if (source?.revision !== Number(since)) return { data: source };
    await change.promise;
    sourceWaiters.delete(change.resolve);
    return { data: await readSource(database.pool, ownerId, id, whole) };
  },
);

await app.listen({ host: config.API_HOST, port: config.API_PORT });
onShutdownSignal(async () => {
  await app.close();
  await listener.close();
  await database.close();
  process.exit(0);
});
