/** A worker that is paused for longer than the heartbeat timeout, and resumes after another worker did its work. */
import { received, release, script, settledDeliveries, sitePath } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { replayErrors } from '../support/replay.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/**
 * Temporal keeps dispatching tasks to the polls of the paused worker until these end after a minute; each task times
 * out after 20 s.
 */
const TAKEN_OVER_MS = 120_000;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { POSTBACK_SCHEDULE_SECONDS: '0,1,1,1' } });
});
afterAll(() => service?.stop());

const rowsAbout = async (sourceId: string) =>
  Promise.all(
    [
      'select * from sources where id = $1',
      'select * from source_generations where source_id = $1 order by generation',
      'select * from artifacts where source_id = $1 order by id',
      'select * from postbacks where source_id = $1 order by id',
      'select a.* from postback_attempts a join postbacks p on p.id = a.postback_id where p.source_id = $1',
    ].map(async (text) => (await service.database.pool.query(text, [sourceId])).rows),
  );

test('a worker that was paused while another took over writes nothing, and no postback gets a second webhook-id', async () => {
  const user = await service.newUser();
  const paused = await service.startWorker();
  const [page, link, receiver] = [sitePath('page'), sitePath('link'), sitePath('receiver')];

  const linkUrl = await script(link, [
    { held: true, body: '<title>Read too late</title>' },
    { body: '<title>Read in time</title>' },
  ]);
  const linking = await user.content(`[a page](${linkUrl})\n`);
  await user.reach(linking.id, 'COMPLETED');
  const [artifact] = (await user.call('GET', `/v1/sources/${linking.id}/artifacts`)).body.data;
  await user.call('PUT', `/v1/source-artifact/${artifact.id}/process`);

  const pageUrl = await script(page, [
    { held: true, body: '<h1>Late</h1><p>Read too late.</p>' },
    { body: '<h1>In time</h1><p>Read in time.</p>' },
  ]);
  const fetching = await user.create({ type: 'URI', initial_data: { data: pageUrl } });
  const delivering = await user.content('Some words.', {
    postback_url: await script(receiver, [{ held: true, status: 500 }, { status: 204 }]),
  });
  for (const path of [page, link, receiver]) {
    await until(`${path} is requested`, async () => (await received(path)).length === 1);
  }

  await paused.pause();
  await service.startWorker();
  await user.reach(fetching.id, 'COMPLETED', TAKEN_OVER_MS);
  const [delivery] = await settledDeliveries(user, delivering.id, 1, TAKEN_OVER_MS);
  const processed = async () => (await user.call('GET', `/v1/source-artifact/${artifact.id}`)).body.data;
  await until('the artifact is processed', async () => (await processed()).status === 'PROCESSED', TAKEN_OVER_MS);
  for (const { id } of [fetching, delivering, linking]) await closedRun(service.temporal, id, TAKEN_OVER_MS);
  const all = () => Promise.all([fetching, delivering, linking].map(({ id }) => rowsAbout(id)));
  const before = await all();

  for (const path of [page, link, receiver]) await release(path);
  await paused.resume();
  // It exits when all its activities have ended.
  await paused.stop();
  expect(await all()).toEqual(before);
  expect(await user.markdown(fetching.id)).toContain('Read in time.');
  expect(await generationsOf(service.database, fetching.id)).toMatchObject([{ generation: 1, outcome: 'COMPLETED' }]);
  expect((await processed()).metadata).toMatchObject({ pageTitle: 'Read in time' });
  expect(delivery).toMatchObject({ state: 'delivered', generation: 1 });
  const ids = (await received(receiver)).map(({ headers }) => headers['webhook-id']);
  expect(ids).toEqual([delivery?.id, delivery?.id]);
  const runs = [fetching, delivering].map(({ id }) => ({ sourceId: id }));
  expect(await replayErrors(service.temporal, runs)).toEqual([]);
}, 300_000);
