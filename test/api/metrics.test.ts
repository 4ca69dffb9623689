import { newUser, send } from '../support/client.ts';
import { startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';

test('metrics are public, in Prometheus text format, without ids, addresses, URLs or keys in labels', async () => {
  const user = await newUser();
  await user.call('GET', `/v1/spaces/${user.spaceId}`);
  await user.call('GET', `/trpc/spaces.list`);
  await send(`${user.apiUrl}/nothing/${user.spaceId}`, 'GET');
  const { status, headers, body } = await send(`${stack().apiUrl}/metrics`, 'GET');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/plain/);
  expect(body).toContain('http_request_duration_seconds_count{method="GET",route="/v1/spaces/:spaceId",status="200"}');
  expect(body).toContain('route="none",status="404"');
  expect(body).toContain('route="/trpc/:path"');
  const values = [...String(body).matchAll(/="([^"]*)"/g)].map(([, value]) => value);
  expect(values.filter((value) => /[0-9a-f]{8}-|https?:|@|cws_/.test(value ?? ''))).toEqual([]);
});

test('gauges of the outbox and the postbacks are current on each read, and 0 once the tables are empty', async () => {
  const service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
  const user = await service.newUser();
  await user.content('Waits for a dispatcher.');
  const dispatcher = await service.startDispatcher({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const metric = async (name: string) => {
    const text = await (await fetch(`${dispatcher.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  expect(await metric('outbox_commands')).toBe(1);
  await service.database.pool.query("update outbox set created_at = now() - interval '2 minutes'");
  expect(await metric('outbox_oldest_seconds')).toBeGreaterThan(119);
  expect([await metric('postbacks_pending'), await metric('postbacks_late_seconds')]).toEqual([0, 0]);
  await service.database.pool.query('delete from outbox');
  expect([await metric('outbox_commands'), await metric('outbox_oldest_seconds')]).toEqual([0, 0]);
  await service.stop();
});
