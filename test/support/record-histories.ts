/**
 * `npm run histories`: runs scenarios on its own stack and writes the histories of their runs to
 * test/histories/recorded, with the fingerprint of the workflow code. test/workflows/replay.test.ts replays them, so it
 * fails on workflow changes that are incompatible with open runs. Once a version is deployed, copy that folder under
 * the version's name before such a change, and replay the copy too.
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
import type { SiteResponse } from './site.ts';
import { stack } from './stack.ts';
import { closedRun, temporal } from './temporal.ts';
import { until } from './until.ts';
import { fingerprint, fingerprintFile } from './workflow-code.ts';

const folder = new URL('../histories/recorded/', import.meta.url);
const user = await newUser();
const client = temporal();

interface RecordedRun {
  sourceId: string;
  /** Default: the newest run. */
  runId?: string;
}

const runOf = (id: string) => client.workflow.getHandle(sourceWorkflowId(id));
const receiver = (responses: SiteResponse[]) => script(sitePath('receiver'), responses);
const act = (id: string, action: 'reprocess' | 'refresh' | 'cancel') =>
  user.call('POST', `/v1/sources/${id}/${action}`);
const firstAttempt = (id: string) =>
  until('the first attempt was made', async () => (await user.get(id)).postback?.attempts === 1);

/** Creates a URI source and waits until its fetch is in progress. */
async function fetching(instructions: Record<string, unknown> = {}) {
  const path = sitePath('page');
  const data = await script(path, [{ hang: true }, { body: '<p>The words of the page.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions });
  await until('the page is asked for', async () => (await received(path)).length === 1);
  return id;
}

/** A run that continues as new: canceled by an operator while its postback waits for a retry, then reprocessed. */
async function continuedRun() {
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

/** A run that a manual signal starts for an ended source. */
async function signaledRun(signal: string, generation: number): Promise<RecordedRun> {
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

const scenarios: Record<string, () => Promise<RecordedRun>> = {
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
    await until('the composition waits for its members', async () => (await user.get(id)).progress?.stage === 'wait');
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

  'continued-as-new': async () => continuedRun(),

  'continues-another': async () => ({ sourceId: (await continuedRun()).sourceId }),

  'deliver-out-of-the-blue': async () => signaledRun('deliver', 1),

  'unknown-generation': async () => signaledRun('cancel', 9),
};

const record = (name: string, workflowId: string, runId?: string, of = client) =>
  keepHistory(of, { workflowId, runId }, folder, name);

test.each(Object.entries(scenarios))('%s', async (name, runScenario) => {
  const { sourceId, runId } = await runScenario();
  await closedRun(client, sourceId);
  await record(name, sourceWorkflowId(sourceId), runId);
});

/** Starts the processing of a link artifact whose page has these responses. Returns the workflow id. */
async function processLink(responses: SiteResponse[]): Promise<string> {
  const { id } = await user.content(`[a page](${await script(sitePath('page'), responses)})`);
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

/** Creates a space with a text, a file and an open run, and deletes it. */
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

/** Runs of the other workflows. Each function returns a workflow id; the run ends by itself. */
const otherScenarios: Record<string, () => Promise<string>> = {
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

test.each(Object.entries(otherScenarios))('%s', async (name, runScenario) => {
  const workflowId = await runScenario();
  await client.workflow.getHandle(workflowId).result();
  await record(name, workflowId);
});

test('redelivered-for-long', async () => {
  // This Temporal suggests to continue as new after 60 events already.
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
