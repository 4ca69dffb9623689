/** Runs the transactions of a text source's run without Temporal, on a separate database. */
import { randomUUID } from 'node:crypto';
import { Client, type Pool } from 'pg';
import pino from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { ContextSummary, ExtractedArtifact } from '../../contract/extraction.ts';
import { listen } from '../../db/listen.ts';
import { migrate } from '../../db/migrate.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { lockUsage } from '../../db/queries/users/usage.ts';
import { transaction } from '../../db/sql.ts';
import { beginGeneration } from '../../db/transitions/generations/begin-generation.ts';
import { endGeneration } from '../../db/transitions/generations/end-generation.ts';
import { enterStage, storeContext } from '../../db/transitions/generations/record-progress.ts';
import { claimCommands, removeCommands } from '../../db/transitions/outbox/claim-commands.ts';
import { createSource, type NewSource } from '../../db/transitions/sources/create-source.ts';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { markdown } from '../content.ts';
import type { Resources } from '../runs/stack.ts';

/** When triggers notify: after the commit as in the service, never, or by `pg_notify` inside the transaction. */
export type Notification = 'after the commit' | 'none' | 'in the commit';

export interface Side {
  notification: Notification;
  /** Processes sources with `clients` clients for `ms` milliseconds and returns sources per second. */
  run(clients: number, ms: number): Promise<number>;
}

const context: ContextSummary = {
  title: 'Text',
  language: 'en',
  format: 'markdown',
  about: null,
  outline: [],
  statistics: { characters: 2_048, words: 330, sentences: 40, tokens: 420, chunks: 2, readingSeconds: 90 },
  reading: null,
};
const artifacts: ExtractedArtifact[] = [0, 1].map((ordinal) => ({
  kind: 'code',
  title: 'Code',
  content: 'select 1;',
  language: 'sql',
  position: { start: 0, end: 9, startLine: 1, endLine: 1 },
  contentHash: 'a'.repeat(64),
  ordinal,
  metadata: {},
}));

/** Creates a migrated database on the server and opens it with one connection for each client. */
export async function openBenchDatabase({ acquire }: Resources, serverUrl: string, clients: number) {
  const url = new URL(serverUrl);
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  const name = `bench_${randomUUID().slice(0, 8)}`;
  await admin.query(`create database ${name}`);
  await admin.end();
  url.pathname = `/${name}`;
  await migrate(url.href);
  return acquire(async () => {
    const database = await openDatabase(url.href, clients);
    return { url: url.href, database, stop: () => database.close() };
  });
}

/** One owner for each client, since writes of one owner serialize on the owner's quota row. */
interface Owner {
  userId: string;
  spaceId: string;
}

async function createOwner(pool: Pool, number: number): Promise<Owner> {
  const { userId } = await createUser(pool, { email: `${number}@example.com`, name: 'Bench', plan: 'pro' });
  const spaceId = uuidv7();
  await pool.query("insert into spaces (id, owner_id, name) values ($1, $2, 'Bench')", [spaceId, userId]);
  return { userId, spaceId };
}

async function setNotification({ orm, pool }: Database, notification: Notification): Promise<void> {
  if (notification === 'in the commit') await orm.migrator.down({ migrations: ['Migration20261122123000_notices'] });
  if (notification === 'none') {
    await pool.query('alter table sources disable trigger sources_inserted_notify');
    await pool.query('alter table sources disable trigger sources_changed_notify');
    await pool.query('alter table outbox disable trigger outbox_notify');
  }
}

export async function openSide(
  resources: Resources,
  serverUrl: string,
  clients: number,
  notification: Notification,
): Promise<Side> {
  const { url, database } = await openBenchDatabase(resources, serverUrl, clients);
  await setNotification(database, notification);
  // The listeners of an API and a dispatcher.
  for (const channel of ['changes', 'outbox']) {
    await resources.acquire(async () => {
      const listener = listen(url, channel, pino({ enabled: false }), () => undefined);
      return { stop: () => listener.close() };
    });
  }
  const { pool } = database;
  const owners = await Promise.all(Array.from({ length: clients }, (_, number) => createOwner(pool, number)));
  const token = randomUUID();
  let created = 0;

  async function create({ userId, spaceId }: Owner): Promise<void> {
    created += 1;
    const source: NewSource = {
      id: uuidv7(),
      ownerId: userId,
      spaceId,
      collectionId: null,
      type: 'CONTENT',
      name: `Source ${created}`,
      nameDerived: false,
      initialData: { data: markdown(created) },
      instructions: {},
      metadata: {},
      externalId: null,
      uploadId: null,
      claim: null,
    };
    await transaction(database, async (session) => {
      await createSource(session, source);
      await lockUsage(session, userId);
    });
  }

  /** Creates one source and processes one claimed source, possibly another client's. Returns the number that ended. */
  async function runOne(owner: Owner): Promise<number> {
    await create(owner);
    const [command] = await claimCommands(pool, 1, 30, token);
    if (command === undefined || command.sourceId === null || command.generation === null) return 0;
    const ref = { sourceId: command.sourceId, generation: command.generation };
    await beginGeneration(pool, ref);
    await enterStage(pool, ref, 'context');
    const stored = {
      markdownKey: 'markdown',
      markdownSize: 1,
      contextKey: 'context',
      contextSize: 1,
      summary: context,
    };
    await storeContext(pool, ref, null, stored, artifacts);
    const ended = await transaction(database, (session) =>
      endGeneration(session, 'http://localhost', ref, { status: 'COMPLETED' }),
    );
    await removeCommands(pool, [command.id], token);
    if (ended === null) throw new Error('A source of the bench did not complete.');
    return 1;
  }

  return {
    notification,
    async run(count, ms) {
      const start = performance.now();
      let ended = 0;
      const client = async (owner: Owner) => {
        while (performance.now() - start < ms) {
          const count = await runOne(owner);
          // Not `ended += await ...`, which reads `ended` before it awaits.
          ended += count;
        }
      };
      await Promise.all(owners.slice(0, count).map(client));
      return ended / ((performance.now() - start) / 1_000);
    },
  };
}
