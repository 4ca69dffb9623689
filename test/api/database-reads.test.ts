/** Amount of database reads: open watches read each change once, and no request reads more than its response needs. */
import { isTrackedEnvelope } from '@trpc/server';
import { sourceEventSchema } from '../../contract/resources.ts';
import { transaction } from '../../db/sql.ts';
import { newUser, type TestUser } from '../support/client.ts';
import { copySources } from '../support/copy-sources.ts';
import { callInProcess, type InProcess } from '../support/in-process.ts';
import { until } from '../support/until.ts';

let user: TestUser;
let inProcess: InProcess;
/** Statements since the last `resetCounts`, and the characters that they returned. */
const read = { statements: 0, characters: 0 };

beforeEach(async () => {
  user = await newUser();
  inProcess = await callInProcess(user.userId);
  const { pool } = inProcess.database;
  const query = pool.query.bind(pool);
  Object.assign(pool, {
    async query(...args: unknown[]) {
      const { rows } = await Reflect.apply(query, pool, args);
      read.statements += 1;
      read.characters += JSON.stringify(rows).length;
      return { rows };
    },
  });
});
afterEach(() => inProcess.close());

function resetCounts(): void {
  Object.assign(read, { statements: 0, characters: 0 });
}

const INSTRUCTIONS = 16_000;

/** Creates sources of the largest size that lists show, changed just now. */
async function largeSources(copies: number): Promise<void> {
  const { id } = await user.content('Words.', { note: 'a'.repeat(INSTRUCTIONS) });
  await user.reach(id, 'COMPLETED');
  await transaction(inProcess.database, (session) => copySources(session, id, copies));
}

/** Changes one source of the space without notifying this process. */
async function rename(name: string): Promise<void> {
  await inProcess.database.pool.query(
    `update sources set name = $2, revision = revision + 1, updated_at = now()
     where id = (select min(id::text)::uuid from sources where space_id = $1)`,
    [user.spaceId, name],
  );
}

/** Reads a stream of events one by one. */
function opened(stream: AsyncIterable<unknown>) {
  const events = stream[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await events.next();
      if (done || !isTrackedEnvelope(value)) throw new Error('The stream is over.');
      return sourceEventSchema.parse(value[1]);
    },
    end: () => events.return?.(),
  };
}

async function openEvents(lastEventId?: string) {
  const input = { spaceId: user.spaceId, ...(lastEventId === undefined ? {} : { lastEventId }) };
  return opened(await inProcess.api.spaces.events(input));
}

test.each([
  ['a stream does not read large sources again that it has sent', 300],
  ['a stream is not reset by more than 1,000 changes that it has sent', 1_100],
])('%s', async (_, copies) => {
  await largeSources(copies);
  const stream = await openEvents();
  expect(await stream.next()).toEqual({ event: 'ready' });
  for (const name of ['First', 'Second', 'Third']) {
    await rename(name);
    resetCounts();
    inProcess.wake({ kind: 'anything' });
    expect(await stream.next()).toMatchObject({ event: 'source', source: { name } });
    expect(read.statements).toBeGreaterThan(0);
    // Ids and revisions of all, and one source.
    expect(read.characters).toBeLessThan(copies * 200 + 2 * INSTRUCTIONS);
  }
  await stream.end();
});

test('a stream reads missed changes as its client consumes them, and each source once', async () => {
  const since = new Date().toISOString();
  await largeSources(300);
  resetCounts();
  const stream = await openEvents(since);
  const first = await stream.next();
  expect(read.characters).toBeLessThan(60 * INSTRUCTIONS);
  const seen = [first];
  while (seen.length < 301) seen.push(await stream.next());
  expect(new Set(seen.map((data) => data.event === 'source' && data.source.id)).size).toBe(301);
  expect(read.characters).toBeLessThan(1.1 * 301 * INSTRUCTIONS);
  await rename('Next');
  inProcess.wake({ kind: 'anything' });
  expect(await stream.next()).toMatchObject({ source: { name: 'Next' } });
  await stream.end();
});

describe('of one source', () => {
  const LENGTH = 200_000;
  let id: string;
  let revision: number;
  beforeEach(async () => {
    const text = 'Words. '.repeat(LENGTH / 7);
    ({ id } = await user.content(text, { note: 'a'.repeat(INSTRUCTIONS) }));
    ({ revision } = await user.reach(id, 'COMPLETED'));
  });

  /** Wakes the watch five times without a change, after each check; expects less than 500 characters read per check. */
  async function wakeWithoutChange(): Promise<void> {
    resetCounts();
    for (let times = 1; times <= 5; times += 1) {
      inProcess.wake({ kind: 'anything' });
      await until('it has checked', async () => read.statements >= times);
    }
    expect(read.characters).toBeLessThan(5 * 500);
  }

  test('its content is read without its context: less than 1,000 characters from the database', async () => {
    await inProcess.database.pool.query(
      `update source_generations set context = jsonb_set(context, '{title}', to_jsonb(repeat('a', $2))) where source_id = $1`,
      [id, LENGTH],
    );
    resetCounts();
    const { markdown } = await inProcess.api.sources.content({ sourceId: id });
    expect(markdown.length).toBeGreaterThan(LENGTH / 2);
    expect(read.statements).toBeGreaterThan(0);
    expect(read.characters).toBeLessThan(1_000);
  });

  test('a long poll reads the whole source once, at its end', async () => {
    // As if a run worked on it.
    await inProcess.database.pool.query("update sources set status = 'PROCESSING' where id = $1", [id]);
    resetCounts();
    const wait = inProcess.api.sources.get({ sourceId: id, waitSeconds: 30, since: revision });
    await until('it waits', async () => inProcess.watching());
    expect(read.characters).toBeLessThan(2 * 500);
    await wakeWithoutChange();
    await inProcess.database.pool.query('update sources set revision = revision + 1 where id = $1', [id]);
    resetCounts();
    inProcess.wake({ kind: 'anything' });
    expect(await wait).toMatchObject({
      revision: revision + 1,
      initial_data: { data: expect.stringMatching('Words. ') },
    });
    expect(read.characters).toBeGreaterThan(LENGTH);
    expect(read.characters).toBeLessThan(1.5 * LENGTH);
  });

  test('a stream reads the source again only when it has changed', async () => {
    const stream = opened(await inProcess.api.sources.events({ sourceId: id }));
    expect(await stream.next()).toMatchObject({ source: { revision } });
    const changed = stream.next();
    await wakeWithoutChange();
    await inProcess.database.pool.query('update sources set revision = revision + 1 where id = $1', [id]);
    inProcess.wake({ kind: 'anything' });
    expect(await changed).toMatchObject({ source: { revision: revision + 1 } });
    await stream.end();
  });
});
