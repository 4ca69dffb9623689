/** After a cancel, what the run was doing ends within 2 s. */
import { newUser, received, script, sitePath } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { closedRun, temporal } from '../support/temporal.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 2_000;
const user = await newUser();

const cancel = (id: string) => user.call('POST', `/v1/sources/${id}/cancel`);

/** A URI source whose first request hangs; waits until that request has arrived. */
async function hanging() {
  const path = sitePath('hanging');
  const { id } = await user.create({ type: 'URI', initial_data: { data: await script(path, [{ hang: true }]) } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  return { id, path };
}

/** Number of canceled executions of a stage, from the worker's metrics. */
async function canceledStages(stage: string): Promise<number> {
  const metrics = await (await fetch(`${stack().workerUrl}/metrics`)).text();
  const line = metrics
    .split('\n')
    .find(
      (one) => /^stage_duration_seconds_count/.test(one) && one.includes(`"${stage}"`) && one.includes('"canceled"'),
    );
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('cancel of a source that is PROCESSING', () => {
  test('is CANCELED in the response, and the fetch is aborted within 2 s', async () => {
    const { id, path } = await hanging();
    expect((await user.get(id)).status).toBe('PROCESSING');
    const response = await cancel(id);
    const canceledAt = Date.now();
    expect(response).toMatchObject({
      status: 200,
      body: { data: { id, status: 'CANCELED', progress: null, error: null } },
    });
    await until('the request is aborted', async () => (await received(path))[0]?.aborted);
    expect(Date.now() - canceledAt).toBeLessThan(WITHIN_MS);
    await closedRun(temporal(), id);
    expect(await user.get(id)).toMatchObject({ status: 'CANCELED', generation: 1, resultGeneration: null });
    expect(await received(path)).toHaveLength(1);
  });

  test('stops an extraction within 2 s', async () => {
    // Its extraction takes longer than the test waits.
    const paragraph = 'The quick brown fox jumps over the lazy dog, and Dr. Smith writes it down on p. 3. '.repeat(40);
    const text = `# Long\n\n${`${paragraph}\n\n`.repeat(1_400)}`;
    const { id } = await user.content(text);
    await until('its context is read', async () => (await user.get(id)).progress?.stage === 'context');
    const before = await canceledStages('context');
    await cancel(id);
    const canceledAt = Date.now();
    await until('the activity has ended', async () => (await canceledStages('context')) > before);
    expect(Date.now() - canceledAt).toBeLessThan(WITHIN_MS);
    expect(await user.get(id)).toMatchObject({ status: 'CANCELED', contextGeneration: null });
  });

  test('ends a composition that waits for its members within 2 s', async () => {
    const member = await hanging();
    const { id } = await user.create({ type: 'COMPOSITION', initial_data: { data: [member.id] } });
    await until('it waits', async () => (await user.get(id)).progress?.stage === 'wait');
    await cancel(id);
    const canceledAt = Date.now();
    await closedRun(temporal(), id);
    expect(Date.now() - canceledAt).toBeLessThan(WITHIN_MS);
    expect((await user.get(id)).status).toBe('CANCELED');
    expect((await user.get(member.id)).status).toBe('PROCESSING');
    await cancel(member.id);
  });
});
