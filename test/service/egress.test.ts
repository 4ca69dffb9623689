/** Outbound requests: forbidden addresses are rejected in requests, runs and deliveries. */
import { newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import { refusedHosts } from '../support/refused-hosts.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const { port: sitePort } = new URL(stack().siteUrl);
const sources = `/v1/spaces/${user.spaceId}/sources`;

describe('a forbidden address is 400 on its field', () => {
  const existing = user.create({ type: 'URI', initial_data: { data: 'https://example.invalid/' } });
  const text = { type: 'CONTENT', initial_data: { data: 'Some words.' } };

  type RequestWith = (url: string) => Promise<[method: string, path: string, body: unknown]>;
  const fields: [field: string, requestWith: RequestWith][] = [
    [
      'initial_data.data',
      async (url) => ['POST', sources, { type: 'URI', initial_data: { data: url }, instructions: {} }],
    ],
    ['initial_data.data', async (data) => ['PATCH', `/v1/sources/${(await existing).id}`, { initial_data: { data } }]],
    ['instructions.postback_url', async (url) => ['POST', sources, { ...text, instructions: { postback_url: url } }]],
    [
      'instructions.postback_url',
      async (url) => ['PATCH', `/v1/sources/${(await existing).id}`, { instructions: { postback_url: url } }],
    ],
    ['url', async (url) => ['POST', '/v1/postbacks/test', { url }]],
  ];
  const urls = [
    ...refusedHosts.map(([, host]) => `http://${host}/`),
    // Only the port of the site is allowed.
    `http://127.0.0.1:${Number(sitePort) - 1}/`,
    `http://[::ffff:127.0.0.1]:${sitePort}/`,
    `https://127.0.0.1/`,
    'http://[fe80::1%25eth0]/',
    'http://example.com:0/',
    'http://user:password@example.com/',
    'gopher://example.com/',
    'file:///etc/passwd',
  ];
  test.concurrent.each(fields)('%s (%#)', async (field, requestWith) => {
    for (const url of urls) {
      const [method, path, body] = await requestWith(url);
      const response = await user.call(method, path, body);
      expect({
        url,
        status: response.status,
        fields: response.body.details?.map((each: { field: string }) => each.field),
      }).toEqual({
        url,
        status: 400,
        fields: [field],
      });
    }
  });
});

describe('a name that resolves to a forbidden address', () => {
  const inside = `http://localhost:${Number(sitePort) - 1}/`;

  test.concurrent('ends a source FAILED with fetch_blocked_address, without the address in the message', async () => {
    const { id } = await user.create({ type: 'URI', initial_data: { data: inside } });
    const { error } = await user.reach(id, 'FAILED');
    expect(error).toMatchObject({ code: 'fetch_blocked_address', stage: 'fetch', retryable: false });
    expect(error?.message).not.toMatch(/127\.0\.0\.1|::1/);
  });

  test.concurrent('fails a postback, without the address in its attempts', async () => {
    const { id } = await user.content('Some words.', { postback_url: inside });
    const [delivery] = await settledDeliveries(user, id);
    expect(delivery?.state).toBe('failed');
    for (const { statusCode, response, error } of delivery?.attempts ?? []) {
      expect({ statusCode, response }).toEqual({ statusCode: null, response: null });
      expect(error).toMatch(/^fetch_blocked_address: /);
      expect(error).not.toMatch(/127\.0\.0\.1|::1/);
    }
  });

  test.concurrent('makes a link unreachable', async () => {
    const { id } = await user.content(`[a page](${inside}) of it\n`);
    await user.reach(id, 'COMPLETED');
    const [link] = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data;
    await user.call('PUT', `/v1/source-artifact/${link.id}/process`);
    const processed = await until('the link is processed', async () => {
      const { data } = (await user.call('GET', `/v1/source-artifact/${link.id}`)).body;
      return data.status === 'PROCESSED' && data;
    });
    expect(processed.metadata).toMatchObject({ reachable: false, reason: 'fetch_blocked_address' });
  });
});

test.concurrent.each([
  ['beyond ASCII', 'text/html; charset=utf-8; title="\u00fc\u00ff"'],
  ['of 12 kB', `text/html; charset=utf-8; x=${'x'.repeat(12_000)}`],
  ['that is malformed', 'html'],
  ['of spaces', '   '],
])('a page with a media type %s is read', async (_kind, contentType) => {
  const url = await script(sitePath('odd'), [
    { headers: { 'content-type': contentType }, body: '<h1>Odd</h1><p>Some words on a page.</p>' },
  ]);
  const { id } = await user.create({ type: 'URI', initial_data: { data: url } });
  expect(await user.reach(id, 'COMPLETED')).toMatchObject({ name: expect.any(String) });
  expect(await user.markdown(id)).toContain('Some words on a page.');
  expect(await received(new URL(url).pathname)).toHaveLength(1);
});
