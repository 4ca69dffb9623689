import { received, script, sitePath } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({
    own: ['postgres', 'temporal'],
    settings: { POSTBACK_SCHEDULE_SECONDS: '0,1,1' },
  });
});
afterAll(() => service?.stop());

test('after every process is killed during a delivery attempt, the postback is sent again with the same webhook-id', async () => {
  const user = await service.newUser();
  const worker = await service.startWorker();
  const path = sitePath('postback');
  const url = await script(path, [{ status: 500 }, { hang: true }, { status: 204 }]);
  const source = await user.content('Text for a postback.', { postback_url: url });
  await until('the second attempt has been received', async () => (await received(path)).length === 2);
  const parts = [worker, service.api, service.server('temporal'), service.server('postgres')];
  for (const part of parts) await part.kill();
  for (const part of parts.toReversed()) await part.start();
  const delivered = await until(
    'the postback is delivered',
    async () => {
      const { postback } = await user.get(source.id);
      return postback?.state === 'delivered' && postback;
    },
    60_000,
  );
  // The result of the second attempt is unknown, so it is repeated, and both requests count as one attempt.
  expect(delivered).toMatchObject({ attempts: 2, lastStatusCode: 204 });
  const requests = await received(path);
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivered.id]));
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
}, 120_000);
