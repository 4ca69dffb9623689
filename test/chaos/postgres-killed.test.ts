import { send } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ own: ['postgres'] });
});
afterAll(() => service?.stop());

const health = async () => send(`${service.apiUrl}/health`, 'GET');

test('sources accepted before PostgreSQL is killed are kept, and the same processes complete them', async () => {
  const user = await service.newUser();
  const worker = await service.startWorker();
  const sources = await Promise.all(Array.from({ length: 5 }, (_, at) => user.content(`Text number ${at}.`)));
  await service.server('postgres').kill();
  expect((await health()).status).toBe(503);
  await service.server('postgres').start();
  for (const { id } of sources) await user.reach(id, 'COMPLETED', 60_000);
  await worker.stop();
});

test('processes that start while PostgreSQL is down wait for it', async () => {
  const user = await service.newUser();
  await service.api.kill();
  await service.server('postgres').kill();
  const starting = [service.api.start(), service.startWorker(), service.startDispatcher()];
  await until('the health check returns 503', async () => (await health()).status === 503);
  await service.server('postgres').start();
  await Promise.all(starting);
  await user.reach((await user.content('Written after all.')).id, 'COMPLETED');
});
