/** The run that processes an artifact: its writes, and the writes that its fence prevents. */
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { artifactWorkflow, artifactWorkflowId } from '../../contract/commands.ts';
import type { artifactSchema } from '../../contract/resources.ts';
import type { Database } from '../../db/orm.ts';
import { openDatabase } from '../../db/orm.ts';
import { endArtifactFailed, endArtifactProcessed } from '../../db/transitions/artifacts/process-artifact.ts';
import { newUser, received, script, sitePath, type TestUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

type ArtifactResource = z.infer<typeof artifactSchema>;

const client = temporal();
let user: TestUser;
let database: Database;
beforeAll(async () => {
  user = await newUser();
  database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
});
afterAll(async () => {
  await database?.close();
  await client.connection.close();
});

async function artifactsOf(sourceId: string): Promise<ArtifactResource[]> {
  return (await user.call('GET', `/v1/sources/${sourceId}/artifacts`)).body.data;
}

/** Creates a source of this text; returns it completed, with its artifacts. */
async function withArtifacts(text: string) {
  const { id } = await user.content(text);
  await user.reach(id, 'COMPLETED');
  return { sourceId: id, artifacts: await artifactsOf(id) };
}

/** Creates a source of this text; returns it completed, with the first of its artifacts. */
async function withArtifact(text: string) {
  const { sourceId, artifacts } = await withArtifacts(text);
  const [first] = artifacts;
  if (first === undefined) throw new Error('no artifact was found');
  // Lists truncate long contents.
  return { sourceId, artifact: await get(first.id) };
}

const process = (id: string) => user.call('PUT', `/v1/source-artifact/${id}/process`);
const get = async (id: string): Promise<ArtifactResource> =>
  (await user.call('GET', `/v1/source-artifact/${id}`)).body.data;
const ended = (id: string, status: 'PROCESSED' | 'FAILED') =>
  until(`artifact ${id} is ${status}`, async () => {
    const artifact = await get(id);
    if (artifact.status === status) return artifact;
    throw new Error(`it is ${artifact.status} ${JSON.stringify(artifact.metadata.error)}`);
  });
const roundOf = async (id: string): Promise<number> =>
  (await database.pool.query('select round from artifacts where id = $1', [id])).rows[0]?.round;
const commandsOf = async (id: string) =>
  (await database.pool.query('select round from outbox where artifact_id = $1', [id])).rows;

/** An artifact that links to a page whose first request hangs. */
async function slowLink(title: string) {
  const path = sitePath('page');
  const url = await script(path, [{ hang: true }, { body: `<title>${title}</title>` }]);
  const made = await withArtifact(`[a page](${url})\n`);
  return { ...made, path, url };
}
const requested = (path: string, times: number) =>
  until(`the page was requested ${times} times`, async () => (await received(path)).length === times);

test('a table gets typed columns with CSV and JSON, code its language and symbols', async () => {
  const { artifacts } = await withArtifacts(
    '# T\n\n| Name | Count |\n|---|---|\n| a | 1 |\n| b | |\n\n```\ndef add(a, b):\n    return a + b\n```\n',
  );
  const table = artifacts.find(({ kind }) => kind === 'table');
  const code = artifacts.find(({ kind }) => kind === 'code');
  if (table === undefined || code === undefined) throw new Error('the artifacts were not found');
  const accepted = await process(table.id);
  expect(accepted.status).toBe(202);
  expect(accepted.body.data).toMatchObject({ id: table.id, status: 'PROCESSING' });
  expect((await process(code.id)).status).toBe(202);
  const done = await ended(table.id, 'PROCESSED');
  expect(done.updatedAt > table.updatedAt).toBe(true);
  expect(done.metadata).toEqual({
    // Metadata of the extraction is kept.
    ...table.metadata,
    typedColumns: [
      { name: 'Name', type: 'text', nulls: 0 },
      { name: 'Count', type: 'integer', nulls: 1 },
    ],
    csv: 'Name,Count\r\na,1\r\nb,\r\n',
    json: [
      { Name: 'a', Count: 1 },
      { Name: 'b', Count: null },
    ],
  });
  expect(await ended(code.id, 'PROCESSED')).toMatchObject({
    language: 'python',
    metadata: {
      language: 'python',
      languageGuessed: true,
      symbols: [{ name: 'add', kind: 'function', line: 1 }],
    },
  });
});

test('a link gets its title and reachability, and an unreachable link is PROCESSED with its reason', async () => {
  const target = await script(sitePath('target'), [{ body: '<title>The target</title>' }]);
  const moved = await script(sitePath('moved'), [{ status: 302, headers: { location: target } }]);
  const missing = await script(sitePath('missing'), [{ status: 404 }]);
  const blocked = 'http://127.0.0.1:9/';
  const { artifacts } = await withArtifacts(
    `[moved](${moved}) [missing](${missing}) [blocked](${blocked}) [mail](mailto:a@example.com)\n`,
  );
  await Promise.all(artifacts.map(({ id }) => process(id)));
  const done = await Promise.all(artifacts.map(({ id }) => ended(id, 'PROCESSED')));
  const facts = Object.fromEntries(done.map(({ title, metadata }) => [title, metadata]));
  expect(facts.moved).toMatchObject({
    pageTitle: 'The target',
    finalUrl: target,
    statusCode: 200,
    reachable: true,
    reason: null,
  });
  expect(facts.missing).toMatchObject({
    pageTitle: null,
    statusCode: 404,
    reachable: false,
    reason: 'fetch_http_status',
  });
  expect(facts.blocked).toMatchObject({ statusCode: null, reachable: false, reason: 'fetch_blocked_address' });
  expect(facts.mail).toMatchObject({ statusCode: null, reachable: null, reason: null });
});

test('while an artifact is PROCESSING, another call is 202 and starts no round', async () => {
  const { artifact, path } = await slowLink('Late');
  expect((await process(artifact.id)).status).toBe(202);
  await requested(path, 1);
  const responses = await Promise.all(Array.from({ length: 5 }, () => process(artifact.id)));
  for (const response of responses) {
    expect(response.status).toBe(202);
    expect(response.body.data).toMatchObject({ id: artifact.id, status: 'PROCESSING' });
  }
  expect(await roundOf(artifact.id)).toBe(1);
  expect(await commandsOf(artifact.id)).toEqual([]);
  expect(await received(path)).toHaveLength(1);
  await client.workflow.getHandle(artifactWorkflowId(artifact.id)).cancel();
  await ended(artifact.id, 'FAILED');
});

test('20 concurrent calls start one round', async () => {
  // The round cannot end before the responses to all calls: its page hangs.
  const { artifact, path } = await slowLink('At last');
  const responses = await Promise.all(Array.from({ length: 20 }, () => process(artifact.id)));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202));
  await requested(path, 1);
  expect(await roundOf(artifact.id)).toBe(1);
  await client.workflow.getHandle(artifactWorkflowId(artifact.id)).cancel();
  await ended(artifact.id, 'FAILED');
  expect((await process(artifact.id)).body.data.status).toBe('PROCESSING');
  await ended(artifact.id, 'PROCESSED');
  expect(await roundOf(artifact.id)).toBe(2);
  expect(await received(path)).toHaveLength(2);
});

test("an operator's cancel of the run ends the round FAILED; a later success removes the error", async () => {
  const { artifact, path } = await slowLink('In the end');
  await process(artifact.id);
  await requested(path, 1);
  await client.workflow.getHandle(artifactWorkflowId(artifact.id)).cancel();
  const failed = await ended(artifact.id, 'FAILED');
  expect(failed.metadata.error).toEqual({ code: 'internal', message: expect.stringContaining('operator') });
  await process(artifact.id);
  const done = await ended(artifact.id, 'PROCESSED');
  expect(done.metadata).not.toHaveProperty('error');
  expect(done.metadata).toMatchObject({ pageTitle: 'In the end' });
});

test('an artifact that cannot be processed ends FAILED with the reason and keeps its earlier metadata', async () => {
  // Each record of the JSON would repeat all of the long names.
  const header = `${`| ${'n'.repeat(60)} `.repeat(100)}|\n${'|-'.repeat(100)}|\n`;
  const { artifact } = await withArtifact(`${header}${'| 1 |\n'.repeat(200)}\n`);
  await process(artifact.id);
  const { metadata } = await ended(artifact.id, 'FAILED');
  expect(metadata).toEqual({
    ...artifact.metadata,
    error: { code: 'extraction_limit', message: expect.stringMatching(/characters of JSON/) },
  });
});

test('a run of an earlier round writes nothing', async () => {
  const { artifact, path } = await slowLink('Of the first round');
  await process(artifact.id);
  await requested(path, 1);
  // As if the round had ended and another were accepted.
  await database.pool.query('update artifacts set round = 2 where id = $1', [artifact.id]);
  const { taskQueue } = await client.workflow.getHandle(artifactWorkflowId(artifact.id)).describe();
  const stale = await client.workflow.start(artifactWorkflow, {
    taskQueue,
    workflowId: `stale-${randomUUID()}`,
    args: [{ artifactId: artifact.id, round: 1 }],
  });
  await stale.result();
  // The last writes of a zombie of that round.
  const ref = { artifactId: artifact.id, round: 1 };
  expect(await endArtifactProcessed(database.pool, ref, { pageTitle: 'Late' })).toBe(false);
  expect(await endArtifactFailed(database.pool, ref, { code: 'internal', message: 'Late.' })).toBe(false);
  expect(await get(artifact.id)).toMatchObject({ status: 'PROCESSING', metadata: artifact.metadata });
  // The run of the second round is missing: the reconciler sends its command again.
  await client.workflow.getHandle(artifactWorkflowId(artifact.id)).terminate('test');
  expect((await ended(artifact.id, 'PROCESSED')).metadata).toMatchObject({ pageTitle: 'Of the first round' });
  expect(await roundOf(artifact.id)).toBe(2);
});

test('artifacts that are found again by a reprocess keep id, status and metadata', async () => {
  const code = '```\ndef add(a, b):\n    return a\n```\n';
  const { sourceId, artifact } = await withArtifact(code);
  await process(artifact.id);
  const done = await ended(artifact.id, 'PROCESSED');
  const patched = await user.call('POST', `/v1/sources/${sourceId}/reprocess`);
  expect(patched.status).toBe(202);
  await until('the second generation has completed', async () => (await user.get(sourceId)).resultGeneration === 2);
  expect(await get(artifact.id)).toMatchObject({ ...done, status: 'PROCESSED', language: 'python' });
});

test('a round that runs while new results are stored ends in the same artifact', async () => {
  const { sourceId, artifact, path } = await slowLink('After the swap');
  await process(artifact.id);
  await requested(path, 1);
  await user.call('POST', `/v1/sources/${sourceId}/reprocess`);
  await until('the second generation has completed', async () => (await user.get(sourceId)).resultGeneration === 2);
  expect((await get(artifact.id)).status).toBe('PROCESSING');
  await client.workflow.getHandle(artifactWorkflowId(artifact.id)).terminate('test');
  expect((await ended(artifact.id, 'PROCESSED')).metadata).toMatchObject({ pageTitle: 'After the swap' });
});

test('an artifact that newer results lack is 404, its run writes nothing, and its promoted source stays', async () => {
  const slow = await script(sitePath('slow'), [{ hang: true }]);
  const page = await script(sitePath('changing'), [
    { body: `<h1>One</h1><p>See <a href="${slow}">the slow page</a> and read all of it.</p>` },
    { body: '<h1>Two</h1><p>There is nothing to see here any more, and no link.</p>' },
  ]);
  const source = await user.create({ type: 'URI', initial_data: { data: page } });
  await user.reach(source.id, 'COMPLETED');
  const [artifact] = await artifactsOf(source.id);
  if (artifact === undefined) throw new Error('no artifact was found');
  const promoted = await user.call('PUT', `/v1/source-artifact/${artifact.id}/promote`);
  expect(promoted.status).toBe(201);
  await process(artifact.id);
  const handle = client.workflow.getHandle(artifactWorkflowId(artifact.id));
  await until('its run has begun', async () => (await handle.describe()).status.name === 'RUNNING');
  await user.call('POST', `/v1/sources/${source.id}/refresh`);
  await until('the second generation has completed', async () => (await user.get(source.id)).resultGeneration === 2);
  for (const path of ['', '/process', '/promote']) {
    const response = await user.call(path === '' ? 'GET' : 'PUT', `/v1/source-artifact/${artifact.id}${path}`);
    expect(response.status).toBe(404);
  }
  const { taskQueue } = await handle.describe();
  const late = await client.workflow.start(artifactWorkflow, {
    taskQueue,
    workflowId: `late-${randomUUID()}`,
    args: [{ artifactId: artifact.id, round: 1 }],
  });
  await late.result();
  expect(await artifactsOf(source.id)).toEqual([]);
  await user.reach(promoted.body.data.id, 'COMPLETED');
  await handle.cancel();
});
