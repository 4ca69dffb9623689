/**
 * `npm run histories`: plays scenarios against a stack of its own and writes the histories of their runs to
 * test/histories/recorded, with the fingerprint of the workflows by which they ran. test/workflows/replay.test.ts
 * replays them: a change of the workflow that cannot go on with runs under way fails there. Once something is deployed,
 * keep a copy of that folder under the version's name before such a change, and have that replayed too.
 */
import { writeFile } from 'node:fs/promises';
import {
  artifactWorkflowId,
  purgeWorkflowId,
  type SourceRunInput,
  type SpaceDeletion,
  sourceWorkflow,
  sourceWorkflowId,
  spaceDeletionWorkflowId,
  ticketWorkflowId,
} from '../../contract/commands.ts';
import { openDatabase } from '../../db/orm.ts';
import { newUser, received, script, settledDeliveries, sitePath, upload } from './client.ts';
import { keepHistory } from './keep-history.ts';
import { sourceWithOpenDelivery } from './open-delivery.ts';
import { startPrivateService } from './private-service.ts';
import type { SiteAnswer } from './site.ts';
import { stack } from './stack.ts';
import { closedRun, temporal } from './temporal.ts';
import { until } from './until.ts';
import { fingerprint, fingerprintFile } from './workflow-code.ts';

const folder = new URL('../histories/recorded/', import.meta.url);
const user = await newUser();
const client = temporal();

interface Played {
  sourceId: string;
  /** The newest run where none is named. */
  runId?: string;
}

const runOf = (id: string) => client.workflow.getHandle(sourceWorkflowId(id));
const receiver = (answers: SiteAnswer[]) => script(sitePath('receiver'), answers);
const act = (id: string, action: 'reprocess' | 'refresh' | 'cancel') =>
  user.call('POST', `/v1/sources/${id}/${action}`);
const firstAttempt = (id: string) =>
  until('the first attempt was made', async () => (await user.get(id)).postback?.attempts === 1);

/** A URI source in mid-fetch. */
async function fetching(instructions: Record<string, unknown> = {}) {
  const path = sitePath('page');
  const data = await script(path, [{ hang: true }, { body: '<p>The words of the page.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions });
  await until('the page is asked for', async () => (await received(path)).length === 1);
  return id;
}

/** Canceled by an operator while its postback has to wait, then reprocessed. */
async function continued() {
  const url = await receiver([{ status: 503, headers: { 'retry-after': '3' } }, { status: 200 }]);
  const sourceId = await fetching({ postback_url: url });
  await runOf(sourceId).cancel();
  await firstAttempt(sourceId);
  const { runId } = await runOf(sourceId).describe();
  await act(sourceId, 'reprocess');
  await user.reach(sourceId, 'COMPLETED');
  await settledDeliveries(user, sourceId, 2);
  return { sourceId, runId };
}

/** The run that a signal by hand starts, for a source that has ended. */
async function signaled(signal: string, generation: number): Promise<Played> {
  const { id } = await user.content('# Words\n\nSome words.');
  await user.reach(id, 'COMPLETED');
  const { taskQueue } = await closedRun(client, id);
  const input: SourceRunInput = { sourceId: id, generation: 0 };
  const { runId } = await client.workflow
    .signalWithStart(sourceWorkflow, {
      taskQueue,
      workflowId: sourceWorkflowId(id),
      args: [input],
      signal,
      signalArgs: [{ generation }],
    })
    .then((handle) => handle.describe());
  return { sourceId: id, runId };
}

const scenarios: Record<string, () => Promise<Played>> = {
  completed: async () => ({ sourceId: (await user.content('# Words\n\nSome words.')).id }),

  'completed-uri': async () => {
    const data = await script(sitePath('page'), [{ status: 503 }, { body: '<p>The words of the page.</p>' }]);
    const { id } = await user.create({
      type: 'URI',
      initial_data: { data },
      instructions: { postback_url: await receiver([{ status: 200 }]) },
    });
    return { sourceId: id };
  },

  failed: async () => {
    const data = await script(sitePath('missing'), [{ status: 404 }]);
    return { sourceId: (await user.create({ type: 'URI', initial_data: { data } })).id };
  },

  canceled: async () => {
    const sourceId = await fetching({ postback_url: await receiver([{ status: 200 }]) });
    await act(sourceId, 'cancel');
    return { sourceId };
  },

  'canceled-and-reprocessed': async () => {
    const sourceId = await fetching({ postback_url: await receiver([{ status: 200 }]) });
    await act(sourceId, 'cancel');
    await act(sourceId, 'reprocess');
    await user.reach(sourceId, 'COMPLETED');
    return { sourceId };
  },

  reprocessed: async () => {
    const { id } = await user.content('# Words\n\nSome words.');
    await user.reach(id, 'COMPLETED');
    await closedRun(client, id);
    await act(id, 'reprocess');
    await user.reach(id, 'COMPLETED');
    return { sourceId: id };
  },

  'stages-off': async () => {
    const { id } = await user.content('# Words\n\nSome words.');
    await user.reach(id, 'COMPLETED');
    await closedRun(client, id);
    const off = { run_context_extraction: false, run_artifact_extraction: false };
    await user.call('POST', `/v1/sources/${id}/reprocess`, off);
    await user.reach(id, 'COMPLETED');
    return { sourceId: id };
  },

  superseded: async () => {
    const sourceId = await fetching();
    await act(sourceId, 'reprocess');
    await user.reach(sourceId, 'COMPLETED');
    return { sourceId };
  },

  composition: async () => {
    const slow = await fetching();
    const text = await user.content('# Words\n\nSome words.');
    const { id } = await user.create({ type: 'COMPOSITION', initial_data: { data: [text.id, slow] } });
    await until('it waits', async () => (await user.get(id)).progress?.stage === 'wait');
    await act(slow, 'reprocess');
    await user.reach(id, 'COMPLETED');
    return { sourceId: id };
  },

  'postback-retried': async () => {
    const url = await receiver([{ status: 500 }, { status: 500 }, { status: 200 }]);
    const { id } = await user.content('# Words\n\nSome words.', { postback_url: url });
    await settledDeliveries(user, id);
    return { sourceId: id };
  },

  'reprocessed-while-delivering': async () => {
    const url = await receiver([{ status: 503, headers: { 'retry-after': '2' } }, { status: 200 }]);
    const { id } = await user.content('# Words\n\nSome words.', { postback_url: url });
    await firstAttempt(id);
    await act(id, 'reprocess');
    await settledDeliveries(user, id, 2);
    return { sourceId: id };
  },

  'operator-canceled': async () => {
    const sourceId = await fetching({ postback_url: await receiver([{ status: 200 }]) });
    await runOf(sourceId).cancel();
    return { sourceId };
  },

  'delivery-stopped-by-operator': async () => {
    const url = await receiver([{ status: 503, headers: { 'retry-after': '600' } }]);
    const { id } = await user.content('# Words\n\nSome words.', { postback_url: url });
    await firstAttempt(id);
    await runOf(id).cancel();
    return { sourceId: id };
  },

  'continued-as-new': async () => continued(),

  'continues-another': async () => ({ sourceId: (await continued()).sourceId }),

  'deliver-out-of-the-blue': async () => signaled('deliver', 1),

  'unknown-generation': async () => signaled('cancel', 9),
};

const record = (name: string, workflowId: string, runId?: string, of = client) =>
  keepHistory(of, { workflowId, runId }, folder, name);

test.each(Object.entries(scenarios))('%s', async (name, play) => {
  const { sourceId, runId } = await play();
  await closedRun(client, sourceId);
  await record(name, sourceWorkflowId(sourceId), runId);
});

/** Starts to process a link to this page, and returns the workflow's id. */
async function processLink(answers: SiteAnswer[]): Promise<string> {
  const { id } = await user.content(`[a page](${await script(sitePath('page'), answers)})`);
  await user.reach(id, 'COMPLETED');
  const [artifact] = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data;
  await user.call('PUT', `/v1/source-artifact/${artifact.id}/process`);
  const workflowId = artifactWorkflowId(artifact.id);
  await until('its run is open', async () => client.workflow.getHandle(workflowId).describe());
  return workflowId;
}

async function query(text: string, values: unknown[]) {
  const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
  const { rows } = await database.pool.query(text, values);
  await database.close();
  return rows;
}

/** A space with a text, a file and something that runs, deleted. */
async function deletedSpace(): Promise<SpaceDeletion> {
  const owner = await newUser();
  const fileKey = await upload(owner, 'file.txt', 'text/plain', new TextEncoder().encode('Some words.'));
  const file = await owner.create({ type: 'FILE', initial_data: { data: fileKey } });
  const data = await script(sitePath('page'), [{ hang: true }]);
  await Promise.all([owner.content('Some words.'), owner.create({ type: 'URI', initial_data: { data } })]);
  await owner.reach(file.id, 'COMPLETED');
  const { spaceId } = owner;
  await owner.call('DELETE', `/v1/spaces/${spaceId}`);
  const [row] = await query('select deletion_id from spaces where id = $1', [spaceId]);
  return { spaceId, deletionId: row.deletion_id };
}

/** Runs of other workflows, by their ids; each ends by itself. */
const others: Record<string, () => Promise<string>> = {
  'artifact-processed': () => processLink([{ body: '<title>A page</title>' }]),

  'artifact-canceled': async () => {
    const workflowId = await processLink([{ hang: true }]);
    await client.workflow.getHandle(workflowId).cancel();
    return workflowId;
  },

  'ticket-sent': async () => {
    const ticket = { type: 'technical', reply_address: 'me@example.com', message: 'Help.' };
    const { body } = await user.call('POST', '/v1/support/tickets', ticket);
    const workflowId = ticketWorkflowId(body.data.id);
    await until('its run is open', async () => client.workflow.getHandle(workflowId).describe());
    return workflowId;
  },

  'space-deletion': async () => {
    const workflowId = spaceDeletionWorkflowId(await deletedSpace());
    await until('its run is open', async () => client.workflow.getHandle(workflowId).describe());
    return workflowId;
  },

  'space-purged': async () => {
    const { spaceId } = await deletedSpace();
    await query("update spaces set deleted_at = now() - interval '31 days' where id = $1", [spaceId]);
    const purged = async () => (await query('select id from spaces where id = $1', [spaceId])).length === 0;
    await until('the space is purged', purged);
    return purgeWorkflowId({ of: 'space', id: spaceId });
  },
};

test.each(Object.entries(others))('%s', async (name, play) => {
  const workflowId = await play();
  await client.workflow.getHandle(workflowId).result();
  await record(name, workflowId);
});

test('redelivered-for-long', async () => {
  // A short history is long for this Temporal: it suggests to continue as new after 60 events.
  const temporalConfig = { 'limit.historyCount.suggestContinueAsNew': 60 };
  const service = await startPrivateService({ own: ['temporal'], temporalConfig });
  await service.startWorker();
  const { id, redeliver } = await sourceWithOpenDelivery(await service.newUser());
  const workflowId = sourceWorkflowId(id);
  const { runId } = await service.temporal.workflow.getHandle(workflowId).describe();
  for (let n = 0; n < 8; n += 1) await redeliver();
  await service.temporal.workflow.getHandle(workflowId).cancel();
  await closedRun(service.temporal, id);
  await record('redelivered-for-long', workflowId, runId, service.temporal);
  await service.stop();
});

afterAll(async () => writeFile(fingerprintFile, `${await fingerprint()}\n`));
