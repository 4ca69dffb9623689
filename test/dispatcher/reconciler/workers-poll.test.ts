import { watchPollers } from '../../../apps/dispatcher/reconciler/workers-poll.ts';
import { type PrivateService, startPrivateService } from '../../support/private-service.ts';
import { until } from '../../support/until.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService();
});
afterAll(() => service?.stop());

test('a queue has no workers until one polls it', async () => {
  const { temporal, settings } = service;
  const TEMPORAL_TASK_QUEUE = settings.TEMPORAL_TASK_QUEUE ?? '';
  const workersPoll = watchPollers(temporal, { TEMPORAL_TASK_QUEUE });
  expect([await workersPoll(), await workersPoll()]).toEqual([false, false]);
  await service.startWorker();
  await until('its poll is seen', workersPoll);
  // A new watch counts every worker that Temporal remembers; another queue still has none.
  expect(await watchPollers(temporal, { TEMPORAL_TASK_QUEUE })()).toBe(true);
  expect(await watchPollers(temporal, { TEMPORAL_TASK_QUEUE: `${TEMPORAL_TASK_QUEUE}-other` })()).toBe(false);
});
