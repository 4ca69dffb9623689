/** Search attributes, summaries and cancels of operators in Temporal. */
import { randomUUID } from 'node:crypto';
import { defineSearchAttributeKey } from '@temporalio/common';
import { sendCommand } from '../../apps/dispatcher/outbox/send-command.ts';
import { type SourceRunInput, searchAttributes, sourceWorkflow, sourceWorkflowId } from '../../contract/commands.ts';
import { parseConfig } from '../../platform/config.ts';
import { deliveries, newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { closedRun, temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const client = temporal();
const runOf = (id: string) => client.workflow.getHandle(sourceWorkflowId(id));

/** Search attributes and summary of a source's newest run. */
async function shown(id: string) {
  const description = await runOf(id).describe();
  const value = (name: keyof typeof searchAttributes) =>
    description.typedSearchAttributes.get(
      searchAttributes[name] === 'Int'
        ? defineSearchAttributeKey(name, 'INT')
        : defineSearchAttributeKey(name, 'KEYWORD'),
    );
  return {
    OwnerId: value('OwnerId'),
    SpaceId: value('SpaceId'),
    SourceId: value('SourceId'),
    SourceType: value('SourceType'),
    SourceStatus: value('SourceStatus'),
    Generation: value('Generation'),
    summary: await description.staticSummary(),
  };
}

async function hangingPage(instructions: Record<string, unknown> = {}) {
  const path = sitePath('hanging');
  const data = await script(path, [{ hang: true }, { body: '<p>The page at last.</p>' }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions, name: 'Slow page' });
  await until('the page is requested', async () => (await received(path)).length === 1);
  return { id, path };
}

describe('a run shows', () => {
  test.concurrent('owner, space, source, type, status and generation, and only the host of a URL', async () => {
    const { id } = await hangingPage();
    const fixed = {
      OwnerId: user.userId,
      SpaceId: user.spaceId,
      SourceId: id,
      SourceType: 'URI',
      summary: `URI: ${new URL(stack().siteUrl).host}`,
    };
    expect(await shown(id)).toEqual({ ...fixed, SourceStatus: 'PROCESSING', Generation: 1 });
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    await user.reach(id, 'COMPLETED');
    await closedRun(client, id);
    expect(await shown(id)).toEqual({ ...fixed, SourceStatus: 'COMPLETED', Generation: 2 });
  });

  test.concurrent('no name, except with TEMPORAL_SHOW_NAMES, truncated by bytes', async () => {
    const name = 'Prüfung 🌊'.repeat(20);
    const { id } = await user.create({ type: 'CONTENT', initial_data: { data: 'Some text.' }, name });
    await user.reach(id, 'COMPLETED');
    expect((await shown(id)).summary).toBe('CONTENT');
    const command = {
      id: 1,
      ownerId: user.userId,
      command: 'start',
      endRunId: null,
      attempts: 1,
      refusals: 0,
    } as const;
    const none = { artifactId: null, round: null, ticketId: null, deletionId: null, address: null };
    const source = { sourceId: randomUUID(), sourceType: 'CONTENT', subject: name, spaceId: user.spaceId } as const;
    const config = parseConfig({ ...stack().settings, TEMPORAL_SHOW_NAMES: 'true' });
    await sendCommand(client, config, { ...command, ...none, ...source, generation: 1 });
    expect((await shown(source.sourceId)).summary).toMatch(/^CONTENT: (Prüfung 🌊)+[Prüfung ]*$/);
  });
});

describe('a cancel in Temporal', () => {
  test.concurrent('cancels the current generation; a later reprocess completes', async () => {
    const postback = sitePath('postback');
    const { id, path } = await hangingPage({ postback_url: await script(postback, [{ status: 200 }]) });
    await runOf(id).cancel();
    await until('the request is aborted', async () => (await received(path))[0]?.aborted);
    await user.reach(id, 'CANCELED');
    await settledDeliveries(user, id);
    expect((await received(postback)).map(({ body }) => JSON.parse(body).type)).toEqual(['source.canceled']);
    expect((await closedRun(client, id)).status.name).toBe('COMPLETED');
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 2, resultGeneration: 2 });
  });

  test.concurrent('of a run with only a delivery open ends it failed with canceled_by_operator', async () => {
    const postback = sitePath('postback');
    const url = await script(postback, [{ status: 503, headers: { 'retry-after': '600' } }, { status: 200 }]);
    const { id } = await user.content('Some text.', { postback_url: url });
    await until('the first attempt was made', async () => (await user.get(id)).postback?.attempts === 1);
    await runOf(id).cancel();
    const closed = await closedRun(client, id);
    expect(closed.status.name).toBe('COMPLETED');
    expect(await deliveries(user, id)).toMatchObject([
      { state: 'failed', reason: 'canceled_by_operator', nextAttemptAt: null, attempts: [{ statusCode: 503 }] },
    ]);
    expect(await user.get(id)).toMatchObject({ status: 'COMPLETED', postback: { state: 'failed', attempts: 1 } });
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    await user.reach(id, 'COMPLETED');
    expect(await settledDeliveries(user, id, 2)).toMatchObject([{ state: 'delivered' }, { state: 'failed' }]);
  });

  test.concurrent('lets a run that still delivers continue as new for a reprocess', async () => {
    const postback = sitePath('postback');
    const url = await script(postback, [{ status: 503, headers: { 'retry-after': '3' } }, { status: 200 }]);
    const { id } = await hangingPage({ postback_url: url });
    await runOf(id).cancel();
    await until('the first attempt was made', async () => (await user.get(id)).postback?.attempts === 1);
    const before = await runOf(id).describe();
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 2 });
    const after = await runOf(id).describe();
    expect(after.runId).not.toBe(before.runId);
    expect((await client.workflow.getHandle(sourceWorkflowId(id), before.runId).describe()).status.name).toBe(
      'CONTINUED_AS_NEW',
    );
    const sent = await settledDeliveries(user, id, 2);
    expect(sent).toMatchObject([
      { generation: 2, state: 'delivered', attempts: [{ statusCode: 200 }] },
      { generation: 1, state: 'delivered', attempts: [{ statusCode: 503 }, { statusCode: 200 }] },
    ]);
    expect((await closedRun(client, id)).status.name).toBe('COMPLETED');
    // Temporal's SDK passes search attributes on to the new run, but not the summary.
    expect(await shown(id)).toMatchObject({
      OwnerId: user.userId,
      SpaceId: user.spaceId,
      SourceId: id,
      SourceType: 'URI',
      SourceStatus: 'COMPLETED',
      Generation: 2,
    });
  });
  test.concurrent('during continue-as-new cancels the generation in the new run', async () => {
    const { id } = await hangingPage();
    // In place of the race: a new run as continue-as-new starts it, with the generation of the old run.
    await runOf(id).terminate();
    await client.workflow.start(sourceWorkflow, {
      workflowId: sourceWorkflowId(id),
      taskQueue: parseConfig(stack().settings).TEMPORAL_TASK_QUEUE,
      args: [{ sourceId: id, generation: 1, continued: { done: 0, operatorCanceled: true } } satisfies SourceRunInput],
    });
    expect(await user.reach(id, 'CANCELED')).toMatchObject({ generation: 1 });
    expect((await closedRun(client, id)).status.name).toBe('COMPLETED');
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ generation: 2 });
  });
});
