/** Purges and deletions of users leave no data: a rare word of the user is searched in every store. */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type RunningMail, startMail } from '../../apps/dev/servers/mail.ts';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { sourceWorkflowId, ticketWorkflowId } from '../../contract/commands.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';
import { received, script, sitePath, type TestUser, upload } from '../support/client.ts';
import { type PrivateService, type ServicePart, startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import {
  executionsWithWords,
  filesWith,
  listExecutions,
  objectsWith,
  tablesWith,
  temporalTablesWith,
  Words,
} from '../support/traces.ts';
import { until } from '../support/until.ts';

/** No promised time: a limit for a loaded machine. */
const REMOVED_WITHIN_MS = 90_000;
const TEST_MS = 240_000;

const admin = fileURLToPath(new URL('../../apps/admin/main.ts', import.meta.url));
const bytes = (text: string) => new TextEncoder().encode(text);
const rareWord = () => `zq${Array.from({ length: 22 }, () => String.fromCharCode(97 + randomInt(26))).join('')}`;

let service: PrivateService;
let storage: Storage;
let dispatcher: ServicePart;
let worker: ServicePart;
let mailPort: number;
const mails: RunningMail[] = [];

async function startMailbox(name: string): Promise<RunningMail> {
  const dataFolder = join(service.dataFolder, name);
  await mkdir(dataFolder);
  const mail = await startMail({ dataFolder, port: mailPort });
  mails.push(mail);
  return mail;
}

beforeAll(async () => {
  mailPort = await freePort();
  service = await startPrivateService({
    own: ['postgres', 'temporal'],
    // By default Temporal acknowledges its queues every 30 s, and deletes no execution that closed after that.
    temporalConfig: {
      'history.transferProcessorUpdateAckInterval': '1s',
      'history.visibilityProcessorUpdateAckInterval': '1s',
    },
    settings: {
      API_RUNS_DISPATCHER: 'false',
      SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      RECONCILER_SWEEP_SECONDS: '0.3',
      RECONCILER_GRACE_SECONDS: '1',
      POSTBACK_SCHEDULE_SECONDS: '0,3600',
      FETCH_RETRY_SECONDS: '1',
      SWEEP_SECONDS: '0.5',
      LOG_LEVEL: 'info',
    },
  });
  storage = createStorage(storageOptions(parseConfig(service.settings)));
  [dispatcher, worker] = await Promise.all([service.startDispatcher(), service.startWorker()]);
}, TEST_MS);
afterAll(async () => {
  for (const mail of mails) await mail.stop();
  storage?.close();
  await service?.stop();
});

interface ProcessResult {
  code: number;
  stdout: string;
  stderr: string;
}

function run(...line: string[]): Promise<ProcessResult> {
  const env = { PATH: process.env.PATH ?? '', ...service.settings };
  return new Promise((resolve) => {
    execFile(process.execPath, [admin, ...line], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Log files with the words: of all processes of this service, its private servers, and the shared storage. */
async function logsWith(words: Words): Promise<string[]> {
  const folders = [service.dataFolder, stack().dataFolder].map((folder) => join(folder, 'logs'));
  return (await Promise.all(folders.map((folder) => filesWith(folder, words)))).flat();
}

/** All places where the words are found. */
async function traces(words: Words) {
  return {
    tables: await tablesWith(service.database.pool, words),
    objects: await objectsWith(storage, words),
    executions: await executionsWithWords(service.temporal, words),
    temporalTables: temporalTablesWith(service.dataFolder, words),
    logs: await logsWith(words),
  };
}
const nothing = { tables: [], objects: [], executions: [], temporalTables: [], logs: [] };

const count = async (text: string, values: unknown[]): Promise<number> =>
  Number((await service.database.pool.query(text, values)).rows[0].count);
const usersWith = (email: string) => count('select count(*) from users where email = $1', [email]);

/** Waits until the source is FAILED. */
const fails = (user: TestUser, id: string) => user.reach(id, 'FAILED', 40_000);

/** A source with two runs, the second by continue-as-new: an operator's cancel and a reprocess during a delivery. */
async function continued(user: TestUser, word: string, postback: string): Promise<string> {
  const page = sitePath(word);
  const data = await script(page, [{ hang: true }, { body: `<p>The page of ${word} at last.</p>` }]);
  const instructions = { postback_url: postback };
  const { id } = await user.create({ type: 'URI', initial_data: { data }, name: `Slow ${word}`, instructions });
  await until('the page is requested', async () => (await received(page)).length === 1);
  await service.temporal.workflow.getHandle(sourceWorkflowId(id)).cancel();
  await user.reach(id, 'CANCELED');
  await until('its postback was tried', async () => (await user.get(id)).postback?.attempts === 1);
  await user.call('POST', `/v1/sources/${id}/reprocess`);
  await user.reach(id, 'COMPLETED');
  return id;
}

/**
 * Writes the word wherever a user can write, and has everything processed. `host` is only in the host of a URL, which
 * summaries show. Returns the ids of the completed sources.
 */
async function useEverything(user: TestUser, word: string, host = rareWord()): Promise<{ sourceIds: string[] }> {
  const base = `/v1/spaces/${user.spaceId}`;
  await user.call('PUT', base, { name: `Space ${word}`, description: `All about ${word}` });
  await user.call('POST', '/v1/spaces', { name: `Other ${word}` }, { 'idempotency-key': `space-${word}` });
  await user.call('POST', '/v1/api-keys', { name: `Key ${word}` });
  const collection = (await user.call('POST', `${base}/collections`, { name: word, parentId: null })).body.data;
  const [delivered, failing] = await Promise.all([
    script(sitePath(`receiver-${word}`), [{ status: 200, body: `Thanks, ${word}` }]),
    script(sitePath(`receiver-${word}`), [{ status: 500, body: `Not now, ${word}` }]),
  ]);

  const text = [
    `# Notes on ${word}`,
    `They say ${word}.`,
    `\`\`\`ts\nconst ${word} = 1;\n\`\`\``,
    `[A page of ${word}](${await script(sitePath(word), [{ status: 404 }])})`,
  ].join('\n\n');
  const body = {
    type: 'CONTENT',
    name: `Chat ${word}`,
    initial_data: { data: text, note: word },
    instructions: { postback_url: delivered, note: word },
    metadata: { note: word },
    externalId: word,
    collectionId: collection.id,
  };
  const created = await user.call('POST', `${base}/sources`, body, { 'idempotency-key': word });
  expect(created.status).toBe(201);
  // Only PostgreSQL gets the details of this error.
  expect((await user.call('POST', `${base}/sources`, body)).status).toBe(409);
  const chat = created.body.data;
  const page = await user.create({
    type: 'URI',
    initial_data: {
      data: await script(sitePath(`page-${word}`), [
        { body: `<title>${word}</title><article><h1>${word}</h1><p>The words of ${word}.</p></article>` },
      ]),
    },
    instructions: { postback_url: failing },
  });
  const file = await user.create({
    type: 'FILE',
    initial_data: { data: await upload(user, `${word}.txt`, 'text/plain', bytes(`A file about ${word}.`)) },
  });
  await upload(user, `unused-${word}.txt`, 'text/plain', bytes(word));

  const failed = await Promise.all([
    user.create({ type: 'URI', initial_data: { data: `http://${host}.invalid/${word}` }, name: `Nowhere ${word}` }),
    user.create({
      type: 'FILE',
      initial_data: {
        data: await upload(user, `${word}.ipynb`, 'application/x-ipynb+json', bytes(`{"cells": ${word}`)),
      },
    }),
    user.create({
      type: 'FILE',
      initial_data: { data: await upload(user, `${word}.gz`, 'application/gzip', gzipSync(`Packed: ${word}`)) },
    }),
  ]);
  const [nowhere] = failed;
  const members = (ids: string[]) => user.create({ type: 'COMPOSITION', initial_data: { data: ids } });
  const all = await members([chat.id, page.id, file.id]);
  failed.push(await members([chat.id, nowhere?.id ?? '']));
  const slow = await continued(user, word, failing);
  for (const { id } of [chat, page, file, all]) await user.reach(id, 'COMPLETED', 40_000);
  for (const { id } of failed) expect((await fails(user, id)).error).not.toBeNull();
  expect((await user.get(nowhere?.id ?? '')).error?.message).toContain(`${host}.invalid`);

  const artifacts = (await user.call('GET', `/v1/sources/${chat.id}/artifacts`)).body.data;
  expect(artifacts.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['code', 'link']);
  for (const { id } of artifacts) await user.call('PUT', `/v1/source-artifact/${id}/process`);
  await until('the artifacts are processed', async () =>
    (await user.call('GET', `/v1/sources/${chat.id}/artifacts`)).body.data.every(
      ({ status }: { status: string }) => status === 'PROCESSED',
    ),
  );
  const promoted = (await user.call('PUT', `/v1/source-artifact/${artifacts[0].id}/promote`)).body.data;
  await user.reach(promoted.id, 'COMPLETED');
  await user.call('POST', `/v1/sources/${chat.id}/reprocess`);
  await until('the chat is done again', async () => (await user.get(chat.id)).resultGeneration === 2);
  await until('a postback is delivered', async () => (await user.get(chat.id)).postback?.state === 'delivered');
  await until('one has failed', async () => (await user.get(page.id)).postback?.attempts === 1);
  return { sourceIds: [chat, page, file, all, promoted].map(({ id }) => id).concat(slow) };
}

async function ticket(user: TestUser, word: string): Promise<string> {
  const body = { type: 'technical', reply_address: `${word}@example.com`, message: `Please help with ${word}.` };
  return (await user.call('POST', '/v1/support/tickets', body)).body.data.id;
}

test(
  'user delete removes all data of the user from every store, and a waiting ticket is not sent',
  async () => {
    const [word, host, address] = [rareWord(), rareWord(), `${rareWord()}@example.com`];
    const words = new Words([word, address]);
    const [user, other] = await Promise.all([service.newUser({ email: address }), service.newUser()]);
    const kept = await other.content('Somebody else’s text.');
    const first = await startMailbox('mail-1');
    const sent = await ticket(user, word);
    const statusOf = async (id: string) =>
      (await service.database.pool.query('select status from support_tickets where id = $1', [id])).rows[0]?.status;
    await until('the first ticket is sent', async () => (await statusOf(sent)) === 'SENT');
    await first.stop();
    const waiting = await ticket(user, word);
    await until('the second one waits', async () => {
      const run = await service.temporal.workflow.getHandle(ticketWorkflowId(waiting)).describe();
      return run.raw.pendingActivities?.[0]?.lastFailure?.message?.includes('ECONNREFUSED');
    });
    const { sourceIds } = await useEverything(user, word, host);
    await other.reach(kept.id, 'COMPLETED');

    // Control: before, the words are in the tables and objects, and never in Temporal or the logs.
    const before = await traces(words);
    expect(before.tables).toEqual(
      expect.arrayContaining([
        ...['api_keys', 'artifacts', 'collections', 'idempotency_keys', 'postback_attempts', 'postbacks'],
        ...['source_generations', 'sources', 'spaces', 'support_tickets', 'uploads', 'users'],
      ]),
    );
    for (const id of sourceIds) expect(before.objects.join('\n')).toContain(`sources/${id}/`);
    expect(before.objects.filter((key) => key.startsWith('uploads/'))).toHaveLength(4);
    expect({ ...before, tables: [], objects: [] }).toEqual(nothing);
    const withHost = await traces(new Words([host]));
    expect({ ...withHost, executions: withHost.executions.length }).toMatchObject({ executions: 1, logs: [] });
    expect((await listExecutions(service.temporal, `OwnerId = '${user.userId}'`)).length).toBeGreaterThan(12);

    const rejected = await run('user', 'delete', address);
    expect(rejected).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/2 spaces.*--yes/s) });
    expect((await user.call('GET', '/v1/spaces')).status).toBe(200);
    const deleted = await run('user', 'delete', address, '--yes');
    expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining(`${address} is deleted`) });
    expect((await user.call('GET', '/v1/spaces')).status).toBe(401);

    // Temporal's lists lag behind deletions.
    await until('Temporal has removed all executions', async () => {
      const left = await listExecutions(service.temporal, `OwnerId = '${user.userId}'`);
      return left.length === 0;
    });
    expect(await traces(new Words([word, host, address]))).toEqual(nothing);
    expect(await count('select count(*) from rate_limits where key = $1', [`owner:${user.userId}`])).toBe(0);

    // The mail server is back and receives only tickets of other users.
    const second = await startMailbox('mail-2');
    const later = await ticket(other, 'another-word');
    await until('the ticket of another user is sent', async () => (await statusOf(later)) === 'SENT');
    expect(await filesWith(second.folder, new Words(['another-word']))).toHaveLength(1);
    expect(await filesWith(second.folder, words)).toEqual([]);
    await second.stop();
    expect(await other.markdown(kept.id)).toContain('Somebody else’s text.');
    expect(await run('user', 'delete', address, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`--email: there is no user ${address}.`),
    });
  },
  TEST_MS,
);

test(
  'purges of a space and a source remove names from Temporal too, with TEMPORAL_SHOW_NAMES',
  async () => {
    await dispatcher.stop();
    dispatcher = await service.startDispatcher({ TEMPORAL_SHOW_NAMES: 'true' });
    const user = await service.newUser();
    const [word, single] = [rareWord(), rareWord()];
    const [ofSpace, ofSource] = [new Words([word]), new Words([single])];
    const other = (await user.call('POST', '/v1/spaces', { name: 'Another' })).body.data;
    const { sourceIds } = await useEverything(user, word);
    const path = `/v1/spaces/${other.id}/sources`;
    const body = {
      type: 'CONTENT',
      name: `Alone ${single}`,
      initial_data: { data: `\`${single}\`` },
      instructions: {},
    };
    const alone = (await user.call('POST', path, body, { 'idempotency-key': 'alone' })).body.data;
    await user.reach(alone.id, 'COMPLETED');
    for (const words of [ofSpace, ofSource]) {
      const { executions, temporalTables, tables, objects } = await traces(words);
      // Control: now the names are in Temporal.
      expect(temporalTables).toEqual(expect.arrayContaining(['history_node']));
      expect(executions).not.toEqual([]);
      expect(tables).toContain('idempotency_keys');
      expect(objects).not.toEqual([]);
    }
    const runs = await listExecutions(service.temporal, `SourceId = '${sourceIds.at(-1)}'`);
    // A run that was continued as new, and its continuation.
    expect(runs.length).toBeGreaterThan(1);

    await user.call('DELETE', `/v1/spaces/${user.spaceId}`);
    await user.call('DELETE', `/v1/sources/${alone.id}`);
    const { pool } = service.database;
    const old = "deleted_at = now() - interval '31 days'";
    await pool.query(`update spaces set ${old} where id = $1`, [user.spaceId]);
    await pool.query(`update sources set ${old} where id = $1`, [alone.id]);
    const left = async () =>
      (await count('select count(*) from spaces where id = $1', [user.spaceId])) +
      (await count('select count(*) from sources where id = $1', [alone.id]));
    await until('both are purged', async () => (await left()) === 0, REMOVED_WITHIN_MS);
    // Data outside of the space stays: the names of a key and of another space.
    await pool.query('delete from api_keys where name like $1', [`%${word}%`]);
    await pool.query('delete from idempotency_keys where operation like $1', ['%keys%']);
    const names = await user.call('GET', '/v1/spaces');
    for (const { id, name } of names.body.data) {
      if (name.includes(word)) await pool.query('delete from spaces where id = $1', [id]);
    }
    await pool.query('delete from idempotency_keys where key = $1', [`space-${word}`]);
    await pool.query('delete from uploads u where not exists (select from sources s where s.upload_id = u.id)');
    const unused = await objectsWith(storage, ofSpace);
    expect(unused.every((key) => key.includes('/unused-'))).toBe(true);
    await storage.deleteKeys(unused);
    for (const words of [ofSpace, ofSource]) {
      await until('no word is left', async () => {
        expect(await traces(words)).toEqual(nothing);
        return true;
      });
    }
    // The runs of the purges are removed with their tombstones.
    const ids = { space: user.spaceId, source: alone.id };
    const tombstones = 'select count(*) from tombstones where id = any($1)';
    expect(await count(tombstones, [Object.values(ids)])).toBe(2);
    await pool.query("update tombstones set created_at = now() - interval '1 hour' where id = any($1)", [
      Object.values(ids),
    ]);
    await until('they are swept', async () => (await count(tombstones, [Object.values(ids)])) === 0, REMOVED_WITHIN_MS);
    const query = `SpaceId = '${ids.space}' OR SourceId = '${ids.source}'`;
    expect(await listExecutions(service.temporal, query)).toEqual([]);
  },
  TEST_MS,
);

test(
  'user delete continues after crashes of dispatcher and worker, and waits while Temporal is away',
  async () => {
    const address = `${rareWord()}@example.com`;
    const user = await service.newUser({ email: address });
    for (let n = 0; n < 5; n += 1) await user.content(`Text number ${n}.`);
    await upload(user, 'unused.txt', 'text/plain', bytes('Never used.'));
    await until(
      'all are done',
      async () =>
        (await user.call('GET', `/v1/spaces/${user.spaceId}/sources?status=COMPLETED`)).body.data.length === 5,
    );
    await worker.stop();
    const started = await run('user', 'delete', '--email', address, '--yes', '--no-wait', '--json');
    expect(JSON.parse(started.stdout)).toMatchObject({ user: { id: user.userId }, done: false, found: { sources: 5 } });
    expect((await user.call('GET', '/v1/spaces')).status).toBe(401);
    expect(await run('user', 'enable', '--email', address)).toMatchObject({ code: 1 });
    const purging = 'select count(*) from spaces where owner_id = $1 and purging_at is not null';
    await until('its purge has begun', async () => (await count(purging, [user.userId])) === 1);
    await dispatcher.kill();
    await service.server('temporal').stop();

    await dispatcher.start();
    await until('the dispatcher finds Temporal away', async () =>
      /^dependency_trouble_total\{dependency="temporal"/m.test(await (await fetch(`${dispatcher.url}/metrics`)).text()),
    );
    expect(await usersWith(address)).toBe(1);
    expect(await count('select count(*) from sources where owner_id = $1', [user.userId])).toBe(5);

    await service.server('temporal').start();
    await worker.start();
    // Within the purge: some sources are removed, others not.
    await until('a step is done', async () => {
      const rows = await count('select count(*) from outbox where owner_id = $1', [user.userId]);
      return rows === 0;
    });
    await Promise.all([dispatcher.kill(), worker.kill()]);
    await Promise.all([dispatcher.start(), worker.start()]);
    await until('the user is gone', async () => (await usersWith(address)) === 0, REMOVED_WITHIN_MS);
    expect(await count('select count(*) from uploads where owner_id = $1', [user.userId])).toBe(0);
    await until('Temporal has removed all executions', async () => {
      return (await listExecutions(service.temporal, `OwnerId = '${user.userId}'`)).length === 0;
    });
  },
  TEST_MS,
);

test(
  'sent tickets are removed with their runs 30 days later; others stay',
  async () => {
    const user = await service.newUser();
    const mail = await startMailbox('mail-3');
    const [old, young] = [await ticket(user, 'old'), await ticket(user, 'young')];
    const sent = "select count(*) from support_tickets where id = any($1) and status = 'SENT'";
    await until('both are sent', async () => (await count(sent, [[old, young]])) === 2, 60_000);
    await mail.stop();
    const pending = await ticket(user, 'pending');
    const ages = "created_at = now() - interval '60 days', sent_at = sent_at - interval '31 days'";
    await service.database.pool.query(`update support_tickets set ${ages} where id = any($1)`, [[old, pending]]);
    const ids = async () =>
      (
        await service.database.pool.query('select id from support_tickets where user_id = $1 order by id', [
          user.userId,
        ])
      ).rows.map(({ id }) => id);
    await until('the old one is gone', async () => !(await ids()).includes(old), 60_000);
    expect(await ids()).toEqual([young, pending].toSorted());
    await until('its run is gone', async () => {
      const runs = await listExecutions(service.temporal, `WorkflowId = '${ticketWorkflowId(old)}'`);
      return runs.length === 0;
    });
    expect(await listExecutions(service.temporal, `WorkflowId = '${ticketWorkflowId(young)}'`)).toHaveLength(1);
  },
  TEST_MS,
);
