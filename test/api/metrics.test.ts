import { newUser, send } from '../support/client.ts';
import { stack } from '../support/stack.ts';

test('metrics are text for Prometheus, public, and no label holds an id, a name or a URL', async () => {
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
