/** Repeated, late, early, malformed and unexpected signals do not contradict the database. */
import type { Client } from '@temporalio/client';
import { WorkflowIdConflictPolicy } from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import { type SourceRunInput, sourceWorkflow, sourceWorkflowId } from '../../contract/commands.ts';
import { deliveries, newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { closedRun, temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const client: Client = temporal();
const taskQueue = stack().settings.TEMPORAL_TASK_QUEUE ?? 'context-workspace';

const options = (sourceId: string) => ({
  taskQueue,
  workflowId: sourceWorkflowId(sourceId),
  workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
});

/** Signals as the dispatcher does: to the open run, or to a new one. */
async function signal(sourceId: string, name: string, ...payload: unknown[]): Promise<void> {
  const input: SourceRunInput = { sourceId, generation: 0 };
  await client.workflow.signalWithStart(sourceWorkflow, {
    ...options(sourceId),
    args: [input],
    signal: name,
    signalArgs: payload,
  });
}

const reprocess = (id: string) => user.call('POST', `/v1/sources/${id}/reprocess`);

async function completedSource() {
  const { id } = await user.content('# Words\n\nSome words.');
  const source = await user.reach(id, 'COMPLETED');
  await closedRun(client, id);
  return source;
}

/** A COMPLETED source whose run stays open: the receiver does not respond to the second attempt. */
async function openRun() {
  const postback = sitePath('receiver');
  const url = await script(postback, [{ status: 503 }, { hang: true }, { status: 200 }]);
  const { id } = await user.content('# Words\n\nSome words.', { postback_url: url });
  await until('the second attempt is in progress', async () => (await received(postback)).length === 2);
  return { id, source: await user.get(id), postback };
}

/** A URI source whose fetch is in progress. */
async function fetching() {
  const path = sitePath('page');
  const url = await script(path, [{ hang: true }, { body: '<p>The words of the page.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data: url } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  return { id, path };
}

const malformed: unknown[][] = [
  [],
  [null],
  ['2'],
  [{ generation: '2' }],
  [{ generation: 2.5 }],
  [{ generation: -1 }],
  [{ generation: 0 }],
  [[2]],
  [{ generation: 2 ** 60 }],
  [{}, { generation: 2 }],
];

describe('to a source without an open run', () => {
  test.concurrent.each<[string, string, unknown[]]>([
    ['an unexpected deliver', 'deliver', []],
    ['a cancel of a future generation', 'cancel', [{ generation: 2 }]],
    ['a cancel of the generation that completed', 'cancel', [{ generation: 1 }]],
    ['a reprocess of the completed generation', 'reprocess', [{ generation: 1 }]],
    ['a reprocess of a generation that does not exist', 'reprocess', [{ generation: 5 }]],
    ['a refresh of a generation that does not exist', 'refresh', [{ generation: 2 }]],
  ])('%s: the run completes and changes nothing', async (_, name, payload) => {
    const source = await completedSource();
    await signal(source.id, name, ...payload);
    expect((await closedRun(client, source.id)).status.name).toBe('COMPLETED');
    expect(await user.get(source.id)).toEqual(source);
    await reprocess(source.id);
    expect(await user.reach(source.id, 'COMPLETED')).toMatchObject({ generation: 2, resultGeneration: 2 });
  });

  test.concurrent('malformed payloads: the run completes and changes nothing', async () => {
    const source = await completedSource();
    for (const payload of malformed) await signal(source.id, 'reprocess', ...payload);
    expect((await closedRun(client, source.id)).status.name).toBe('COMPLETED');
    expect(await user.get(source.id)).toEqual(source);
  });

  test.concurrent('a repeated start: the run completes and changes nothing', async () => {
    const source = await completedSource();
    const input: SourceRunInput = { sourceId: source.id, generation: 1 };
    await client.workflow.start(sourceWorkflow, { ...options(source.id), args: [input] });
    expect((await closedRun(client, source.id)).status.name).toBe('COMPLETED');
    expect(await user.get(source.id)).toEqual(source);
  });

  test.concurrent('for an unknown source: the run completes', async () => {
    const sourceId = crypto.randomUUID();
    await signal(sourceId, 'reprocess', { generation: 3 });
    expect((await closedRun(client, sourceId)).status.name).toBe('COMPLETED');
  });
});

describe('to a source whose run is open', () => {
  test.concurrent('early, late, malformed and repeated signals change nothing; a later reprocess runs', async () => {
    const { id, source, postback } = await openRun();
    for (const name of ['cancel', 'reprocess', 'refresh']) {
      await signal(id, name, { generation: 9 });
      await signal(id, name, { generation: 1 });
      for (const payload of malformed) await signal(id, name, ...payload);
    }
    await signal(id, 'deliver');
    expect(await user.get(id)).toMatchObject({ status: 'COMPLETED', generation: 1, revision: source.revision });
    await reprocess(id);
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 2, resultGeneration: 2 });
    // The first postback is still pending: its run was open all the time.
    expect(await deliveries(user, id)).toMatchObject([{ generation: 2 }, { generation: 1, state: 'pending' }]);
    expect(await settledDeliveries(user, id, 2)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
    expect((await received(postback)).map(({ body }) => JSON.parse(body).data.generation).sort()).toEqual([1, 1, 1, 2]);
    await closedRun(client, id);
  });

  test.concurrent('a cancel and a reprocess of unknown generations do not end the running one', async () => {
    const { id } = await fetching();
    await signal(id, 'cancel', { generation: 7 });
    await signal(id, 'reprocess', { generation: 8 });
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 1, resultGeneration: 1 });
    await closedRun(client, id);
  });

  test.concurrent('a second start, stale and malformed signals do not affect the running generation', async () => {
    const { id, path } = await fetching();
    const input: SourceRunInput = { sourceId: id, generation: 1 };
    await client.workflow.start(sourceWorkflow, { ...options(id), args: [input] });
    await signal(id, 'reprocess', { generation: 1 });
    for (const payload of malformed) await signal(id, 'cancel', ...payload);
    await signal(id, 'deliver');
    // A completed workflow task after `deliver` shows that the run has handled the signals.
    await until('the run has handled them', async () => {
      const { events } = await client.workflow.getHandle(sourceWorkflowId(id)).fetchHistory();
      const types = (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
      const done = (events ?? []).findLastIndex((event) => event.workflowTaskCompletedEventAttributes);
      return types.includes('deliver') && done > types.indexOf('deliver');
    });
    expect(await received(path)).toMatchObject([{ aborted: false }]);
    expect(await user.get(id)).toMatchObject({ status: 'PROCESSING', generation: 1 });
    await user.call('POST', `/v1/sources/${id}/cancel`);
    await closedRun(client, id);
  });

  test.concurrent('a cancel signal without a request ends the generation; its repetition is ignored', async () => {
    const { id } = await fetching();
    await signal(id, 'cancel', { generation: 1 });
    const canceled = await user.reach(id, 'CANCELED');
    await signal(id, 'cancel', { generation: 1 });
    await closedRun(client, id);
    expect(await user.get(id)).toEqual(canceled);
  });

  test.concurrent('a repeated refresh signal runs once', async () => {
    const path = sitePath('page');
    const { id } = await user.create({
      type: 'URI',
      initial_data: { data: await script(path, [{ body: '<p>One.</p>' }, { hang: true }, { body: '<p>Three.</p>' }]) },
    });
    await user.reach(id, 'COMPLETED');
    await user.call('POST', `/v1/sources/${id}/refresh`, {});
    await until('the refresh is in progress', async () => (await received(path)).length === 2);
    for (let time = 0; time < 5; time += 1) await signal(id, 'refresh', { generation: 2 });
    await signal(id, 'reprocess', { generation: 2 });
    expect(await received(path)).toHaveLength(2);
    expect(await user.get(id)).toMatchObject({ status: 'PROCESSING', generation: 2 });
    await user.call('POST', `/v1/sources/${id}/cancel`);
    await closedRun(client, id);
    expect(await received(path)).toHaveLength(2);
  });
});
