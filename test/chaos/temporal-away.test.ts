import { received, script, send, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ own: ['temporal'] });
  await service.startWorker();
});
afterAll(() => service?.stop());

test('while Temporal is down, a create and a cancel are accepted; both are completed when it is back', async () => {
  const user = await service.newUser();
  await service.server('temporal').stop();
  await until('the health check returns degraded', async () => {
    const health = await send(`${service.apiUrl}/health`, 'GET');
    return health.status === 200 && health.body.status === 'degraded' && health.body.checks.temporal === 'down';
  });

  const path = sitePath('postback');
  const url = await script(path, [{ status: 200 }]);
  const source = await user.content('# Written while Temporal was away');
  const canceled = await user.content('Canceled while Temporal was away', { postback_url: url });
  const response = await user.call('POST', `/v1/sources/${canceled.id}/cancel`);
  expect(response.body.data.status).toBe('CANCELED');
  expect(['CREATED', 'PENDING']).toContain((await user.get(source.id)).status);

  await service.server('temporal').start();
  await user.reach(source.id, 'COMPLETED', 60_000);
  const [postback] = await until('the postback of the canceled generation is received', async () => {
    const requests = await received(path);
    return requests.length > 0 ? requests : null;
  });
  expect(JSON.parse(postback?.body ?? '')).toMatchObject({ type: 'source.canceled', data: { status: 'CANCELED' } });
  const { rows } = await service.database.pool.query('select refusals from outbox where refusals > 0');
  expect(rows).toEqual([]);
});
