/** Numbers of history events per run: retries and waits add none. */
import { sourceWorkflowId } from '../../contract/commands.ts';
import { newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { closedRun, temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const client = temporal();
/** Not extracted within the first workflow task (test/chaos/short-texts.test.ts): that depends on the load. */
const longText = 'Some words. '.repeat(3_000);

/**
 * Number of events of a source's closed run, without those of workflow tasks that timed out, which depend on the load
 * of the machine.
 */
async function eventsOf(id: string): Promise<number> {
  await closedRun(client, id);
  const { events } = await client.workflow.getHandle(sourceWorkflowId(id)).fetchHistory();
  const again = (events ?? []).filter((event) => event.workflowTaskTimedOutEventAttributes).length;
  // Two events per timed-out task: scheduled and timed out.
  return (events ?? []).length - 2 * again;
}

/** Creates a completed text whose receiver sends these responses. */
async function textWith(responses: { status: number }[]): Promise<string> {
  const { id } = await user.content(longText, { postback_url: await script(sitePath('receiver'), responses) });
  await settledDeliveries(user, id);
  return id;
}

/** Creates a completed URI source. */
async function page(responses: { status: number; body?: string }[]): Promise<string> {
  const { id } = await user.create({ type: 'URI', initial_data: { data: await script(sitePath('page'), responses) } });
  await user.reach(id, 'COMPLETED');
  return id;
}

test.concurrent('the run of a text has 15 events', async () => {
  const { id } = await user.content(longText);
  expect(await eventsOf(id)).toBe(15);
});

test.concurrent('a postback adds 6 events, with one attempt or three', async () => {
  const [once, thrice] = await Promise.all([
    textWith([{ status: 200 }]),
    textWith([{ status: 500 }, { status: 500 }, { status: 200 }]),
  ]);
  expect(await Promise.all([once, thrice].map(eventsOf))).toEqual([21, 21]);
});

test.concurrent('a fetch adds 6 events, with one attempt or two', async () => {
  const body = '<p>The words of the page.</p>';
  const [once, twice] = await Promise.all([
    page([{ status: 200, body }]),
    page([{ status: 503 }, { status: 200, body }]),
  ]);
  expect(await Promise.all([once, twice].map(eventsOf))).toEqual([21, 21]);
});

test.concurrent('a composition has 27 events, whether its members are ready or checked repeatedly', async () => {
  const path = sitePath('slow');
  const data = await script(path, [{ hang: true }, { status: 200, body: '<p>The words of the page.</p>' }]);
  const [text, slow] = await Promise.all([
    user.content('Some words.'),
    user.create({ type: 'URI', initial_data: { data } }),
  ]);
  await user.reach(text.id, 'COMPLETED');
  const compose = (...ids: string[]) => user.create({ type: 'COMPOSITION', initial_data: { data: ids } });
  const [ready, waiting] = await Promise.all([compose(text.id), compose(slow.id)]);
  const run = client.workflow.getHandle(sourceWorkflowId(waiting.id));
  await until('it has checked three times', async () => {
    const { raw } = await run.describe();
    return (raw.pendingActivities?.[0]?.attempt ?? 0) > 3;
  });
  expect(await received(path)).toHaveLength(1);
  await user.call('POST', `/v1/sources/${slow.id}/reprocess`);
  await Promise.all([ready, waiting].map(({ id }) => user.reach(id, 'COMPLETED')));
  expect(await Promise.all([ready, waiting].map(({ id }) => eventsOf(id)))).toEqual([27, 27]);
});
