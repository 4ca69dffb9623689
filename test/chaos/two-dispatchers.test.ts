import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false', DISPATCHER_CONCURRENCY: '4' } });
});
afterAll(() => service?.stop());

test('two dispatchers send every command once, and both take part', async () => {
  const users = await Promise.all([service.newUser(), service.newUser()]);
  const create = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => users[index % 2]?.content(`Source number ${index}`)));
  const backlog = await create(40);
  const [one, two] = await Promise.all([service.startDispatcher(), service.startDispatcher()]);
  // The first dispatcher may have sent the whole backlog alone; both are notified of these new commands.
  const sources = [...backlog, ...(await create(40))];
  await service.startWorker();
  await until(
    'all sources are COMPLETED',
    async () => {
      const { rows } = await service.database.pool.query(
        "select count(*)::int as n from sources where status = 'COMPLETED'",
      );
      return rows[0].n === sources.length;
    },
    60_000,
  );
  expect((await service.database.pool.query('select * from outbox')).rows).toEqual([]);
  expect((await service.database.pool.query('select * from source_generations where generation > 1')).rows).toEqual([]);
  const sentBy = await Promise.all(
    [one, two].map(async ({ url }) => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/outbox_commands_total\{command="start",outcome="sent"\} (\d+)/.exec(metrics)?.[1] ?? 0);
    }),
  );
  expect(sentBy.reduce((sum, count) => sum + count, 0)).toBe(sources.length);
  expect(Math.min(...sentBy)).toBeGreaterThan(0);
});
