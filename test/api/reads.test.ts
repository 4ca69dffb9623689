/** Stored results are streamed from the storage, and lists show excerpts. */
import { newUser, received, script, sitePath, type TestUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { wire } from './wire.ts';

/** Characters of one to four bytes, and characters that JSON escapes. */
const SPECIAL = 'a ä € 😀 "quoted" back\\slash \u2028 tab\there';
const LONG = `# Title\n\n${Array.from({ length: 4_000 }, (_, n) => `Line ${n}: ${SPECIAL}`).join('\n\n')}\n`;

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

test('the Markdown is the same text in JSON, as text/markdown and through tRPC', async () => {
  const { id } = await user.content(LONG);
  await user.reach(id, 'COMPLETED');
  const path = `/v1/sources/${id}/content`;
  const json = await user.call('GET', path);
  expect(json.body.data).toEqual({ generation: 1, markdown: expect.stringContaining(`Line 3999: ${SPECIAL}`) });
  expect(json.body.data.markdown).toHaveLength(LONG.length);
  const alone = await user.call('GET', path, undefined, { accept: 'text/markdown' });
  expect(alone.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(alone.headers.get('content-length')).toBe(String(Buffer.byteLength(LONG)));
  expect(alone.body).toBe(json.body.data.markdown);
  const input = encodeURIComponent(JSON.stringify({ sourceId: id }));
  const viaTrpc = await user.call('GET', `/trpc/sources.content?input=${input}`);
  expect(viaTrpc.body.result.data).toEqual(json.body.data);
});

test.each([
  ['*/*', 'application/json'],
  ['text/markdown;q=0.5, application/json', 'application/json'],
  ['text/markdown; charset=utf-8', 'text/markdown'],
  ['application/json;q=0.5, text/*', 'text/markdown'],
])('content is sent for Accept: %s as %s', async (accept, mediaType) => {
  const { id } = await user.content('# Short');
  await user.reach(id, 'COMPLETED');
  const { headers } = await user.call('GET', `/v1/sources/${id}/content`, undefined, { accept });
  expect(headers.get('content-type')).toBe(`${mediaType}; charset=utf-8`);
});

test('chunks in pages of 30 are the same as in one page of 100', async () => {
  const { id } = await user.content(LONG);
  await user.reach(id, 'COMPLETED');
  const page = async (query: string) => (await user.call('GET', `/v1/sources/${id}/context?${query}`)).body;
  const first = await page('limit=100');
  expect(first.data.chunks).toHaveLength(100);
  const paged = [];
  let cursor = '';
  while (paged.length < 100) {
    const { data, nextCursor } = await page(`limit=30${cursor}`);
    paged.push(...data.chunks);
    cursor = `&cursor=${nextCursor}`;
  }
  expect(paged.slice(0, 100)).toEqual(first.data.chunks);
  expect(first.data.chunks.map(({ index }: { index: number }) => index)).toEqual(
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test('lists truncate artifacts to 1,000 characters, and a single read returns the whole', async () => {
  const code = Array.from({ length: 200 }, (_, n) => `echo "line ${n} 😀"`).join('\n');
  const { id } = await user.content(`# Code\n\n\`\`\`sh\n${code}\n\`\`\`\n`);
  await user.reach(id, 'COMPLETED');
  const [listed] = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data;
  expect([...listed.content]).toHaveLength(1_000);
  expect(listed.truncated).toBe(true);
  const whole = (await user.call('GET', `/v1/source-artifact/${listed.id}`)).body.data;
  expect(whole.content).toBe(code);
  expect(whole).not.toHaveProperty('truncated');
});

test('HEAD opens no stream (405), waits for no change and has no body', async () => {
  const { id } = await user.content('Some words.');
  await user.reach(id, 'COMPLETED');
  const { apiUrl } = stack();
  const head = (path: string) => wire(apiUrl, 'HEAD', path, { authorization: `Bearer ${user.key}` });
  for (const path of [`/v1/sources/${id}/events`, `/v1/spaces/${user.spaceId}/events`]) {
    for (let time = 0; time < 12; time += 1)
      expect(await head(path)).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  }
  const path = sitePath('hangs');
  const open = await user.create({ type: 'URI', initial_data: { data: await script(path, [{ hang: true }]) } });
  await until('the fetch is in progress', async () => (await received(path)).length > 0);
  const begun = Date.now();
  expect((await head(`/v1/sources/${open.id}?waitSeconds=30`)).status).toBe(200);
  expect(Date.now() - begun).toBeLessThan(15_000);
  await user.call('POST', `/v1/sources/${open.id}/cancel`);
  expect(await head(`/v1/sources/${id}/content`)).toMatchObject({ status: 200, text: '' });
  // Twelve open streams would exceed the limit of the plan free.
  const { revision } = await user.get(id);
  expect((await user.call('GET', `/v1/sources/${id}?waitSeconds=1&since=${revision}`)).status).toBe(200);
});

test('GET and DELETE accept an empty body and an empty JSON object', async () => {
  const { apiUrl } = stack();
  const headers = { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' };
  for (const body of ['{}', ' {\n} ', '']) {
    expect(
      (await wire(apiUrl, 'GET', '/v1/spaces', { ...headers, 'content-length': String(body.length) }, body)).status,
    ).toBe(200);
    const { id } = (await user.call('POST', '/v1/api-keys', { name: 'K' })).body.data;
    const length = { 'content-length': String(body.length) };
    expect((await wire(apiUrl, 'DELETE', `/v1/api-keys/${id}`, { ...headers, ...length }, body)).status).toBe(204);
  }
});

test('every response is nosniff, and responses that need a key are no-store', async () => {
  const { id } = await user.content('Some words.');
  const responses = [
    await user.call('GET', '/health'),
    await user.call('GET', '/openapi.json'),
    await user.call('GET', '/nothing'),
    await user.call('GET', `/v1/sources/${id}`),
    await user.call('GET', '/v1/postback-secret'),
    await user.call('POST', '/v1/api-keys', { name: 'K' }),
    await user.call('POST', '/v1/upload/s3', { filename: 'a.txt', contentType: 'text/plain', size: 1 }),
    await user.call('GET', '/trpc/postbacks.secret?input=%7B%7D'),
  ];
  for (const { headers } of responses) expect(headers.get('x-content-type-options')).toBe('nosniff');
  for (const { headers } of responses.slice(3)) expect(headers.get('cache-control')).toBe('no-store');
});
