/** Temporal with its default configuration: no fairness, several partitions. */
import { received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const WITHIN_MS = 2_000;

let service: PrivateService;
let user: TestUser;
beforeAll(async () => {
  service = await startPrivateService({ own: ['temporal'], temporalConfig: null });
  await service.startWorker();
  user = await service.newUser();
}, 120_000);
afterAll(() => service?.stop());

test('CONTENT, URI and COMPOSITION sources complete, a postback is delivered and a reprocess completes', async () => {
  const receiver = sitePath('receiver');
  const postback_url = await script(receiver, [{ status: 503 }, { status: 204 }]);
  const text = await user.content('# Words\n\nSee [a page](https://example.com/).');
  const data = await script(sitePath('page'), [{ body: '<p>The words of the page.</p>' }]);
  const page = await user.create({ type: 'URI', initial_data: { data }, instructions: { postback_url } });
  const all = await user.create({ type: 'COMPOSITION', initial_data: { data: [text.id, page.id] } });
  await user.reach(all.id, 'COMPLETED', 60_000);
  expect(await user.markdown(all.id)).toContain('The words of the page.');
  expect(await settledDeliveries(user, page.id, 1, 60_000)).toMatchObject([{ state: 'delivered' }]);
  expect(await received(receiver)).toHaveLength(2);
  await user.call('POST', `/v1/sources/${text.id}/reprocess`);
  expect(await user.reach(text.id, 'COMPLETED', 60_000)).toMatchObject({ generation: 2, resultGeneration: 2 });
}, 180_000);

test('a cancel aborts a fetch within 2 s', async () => {
  const path = sitePath('hanging');
  const { id } = await user.create({ type: 'URI', initial_data: { data: await script(path, [{ hang: true }]) } });
  await until('the page is requested', async () => (await received(path)).length === 1);
  await user.call('POST', `/v1/sources/${id}/cancel`);
  const canceledAt = performance.now();
  await until('the request is aborted', async () => (await received(path))[0]?.aborted);
  expect(performance.now() - canceledAt).toBeLessThan(WITHIN_MS);
  expect((await user.get(id)).status).toBe('CANCELED');
});

test('60 sources of one owner and one of another all complete', async () => {
  const other = await service.newUser();
  const many = await Promise.all(Array.from({ length: 60 }, (_, n) => user.content(`Text ${n}.`)));
  const one = await other.content('A single one.');
  await other.reach(one.id, 'COMPLETED', 120_000);
  for (const { id } of many) await user.reach(id, 'COMPLETED', 120_000);
}, 180_000);
