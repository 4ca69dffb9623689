import { z } from 'zod';
import { sourceWorkflowId } from '../../contract/commands.ts';
import { received, release, script, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { POSTBACK_SCHEDULE_SECONDS: '0,2,2,2' } });
});
afterAll(() => service?.stop());

/** Reads the number of tries from the heartbeat details of the run's pending activity. */
async function readTries(sourceId: string): Promise<number | null> {
  const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(sourceId)).describe();
  const data = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
  return data == null ? null : z.object({ count: z.int() }).parse(JSON.parse(Buffer.from(data).toString())).count;
}

test('runs whose worker is killed continue on another worker, in the same generation or artifact round', async () => {
  const user = await service.newUser();
  const first = await service.startWorker();
  const linked = sitePath('linked');
  const link = await script(linked, [{ hang: true }, { body: '<title>After the kill</title>' }]);
  const { id } = await user.content(`[a page](${link})\n`);
  await user.reach(id, 'COMPLETED');
  const artifact = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data[0];
  await user.call('PUT', `/v1/source-artifact/${artifact.id}/process`);
  await until('the link is requested', async () => (await received(linked)).length === 1);
  const path = sitePath('page');
  const url = await script(path, [
    { hang: true },
    { held: true, body: '<h1>After the kill</h1><p>The page is whole again.</p>' },
  ]);
  const source = await user.create({ type: 'URI', initial_data: { data: url } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  await first.kill();
  const second = await service.startWorker();
  await until('the page is requested again', async () => (await received(path)).length === 2, 60_000);
  // The try that was interrupted by the kill counts.
  await until('it counts as the second try', async () => (await readTries(source.id)) === 2);
  await release(path);
  const done = await user.reach(source.id, 'COMPLETED', 60_000);
  expect(done).toMatchObject({ generation: 1, resultGeneration: 1, error: null });
  expect(await received(path)).toHaveLength(2);
  expect(await user.markdown(source.id)).toContain('The page is whole again.');
  const processed = await until(
    'the artifact is processed',
    async () => {
      const { data } = (await user.call('GET', `/v1/source-artifact/${artifact.id}`)).body;
      return data.status === 'PROCESSED' && data;
    },
    60_000,
  );
  expect(processed.metadata).toMatchObject({ pageTitle: 'After the kill', statusCode: 200 });
  const { rows } = await service.database.pool.query('select round from artifacts where id = $1', [artifact.id]);
  expect(rows).toEqual([{ round: 1 }]);
  await second.stop();
});

test('the first try of an extraction sends no heartbeat, and still counts when its worker is killed', async () => {
  const user = await service.newUser();
  const body = '- a b c\n\n'.repeat(550_000);
  const url = await script(sitePath('endless'), [{ headers: { 'content-type': 'text/markdown' }, body }]);
  const worker = await service.startWorker({ EXTRACTION_TIMEOUT_SECONDS: '300' });
  const { id } = await user.create({ type: 'URI', initial_data: { data: url } });
  const isRead = () =>
    until('the extraction has begun', async () => (await user.get(id)).progress?.stage === 'context');
  await isRead();
  expect(await readTries(id)).toBeNull();
  await worker.kill();
  const second = await service.startWorker({ EXTRACTION_TIMEOUT_SECONDS: '300' });
  await until('it counts as the second try', async () => (await readTries(id)) === 2, 60_000);
  // An attempt that ends by a worker's shutdown does not count as a try.
  await second.stop();
  const third = await service.startWorker({ EXTRACTION_TIMEOUT_SECONDS: '300' });
  await until(
    'the activity is attempted again',
    async () => {
      const { raw } = await service.temporal.workflow.getHandle(sourceWorkflowId(id)).describe();
      return raw.pendingActivities?.[0]?.attempt === 3 && (await readTries(id)) === 2;
    },
    60_000,
  );
  await user.call('POST', `/v1/sources/${id}/cancel`);
  await user.reach(id, 'CANCELED');
  await third.stop();
}, 150_000);

test('a postback that fails twice is delivered by another worker, with the same schedule and webhook-id', async () => {
  const user = await service.newUser();
  const first = await service.startWorker();
  const path = sitePath('postback');
  const url = await script(path, [{ status: 500 }, { status: 503 }, { status: 204 }]);
  const source = await user.content('Text for a postback.', { postback_url: url });
  await until('one attempt was made', async () => (await received(path)).length === 1);
  await first.stop();
  await service.startWorker();
  const delivered = await until('the postback is delivered', async () => {
    const { postback } = await user.get(source.id);
    return postback?.state === 'delivered' ? postback : null;
  });
  expect(delivered).toMatchObject({ attempts: 3, lastStatusCode: 204, nextAttemptAt: null });
  const attempts = await received(path);
  expect(attempts).toHaveLength(3);
  expect(new Set(attempts.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivered.id]));
  const [one, two] = attempts;
  expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
});
