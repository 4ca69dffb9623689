import { restOperations } from '../../apps/api/http/rest.ts';
import { appRouter } from '../../apps/api/routers/index.ts';
import { send } from '../support/client.ts';
import { expectDocumented } from '../support/document.ts';
import { stack } from '../support/stack.ts';

const { apiUrl } = stack();

test('the document is public and has every procedure at its path and method', async () => {
  const { status, body } = await send(`${apiUrl}/openapi.json`, 'GET');
  expect(status).toBe(200);
  expect(body).toMatchObject({ openapi: '3.1.1', servers: [{ url: apiUrl }], security: [{ apiKey: [] }] });
  for (const { name, meta } of restOperations(appRouter)) {
    expect(body.paths[`/v1${meta.rest.path}`][meta.rest.method.toLowerCase()].operationId).toBe(name);
  }
  const open = Object.entries<{ get?: { security?: unknown[] } }>(body.paths).filter(([, { get }]) => get?.security);
  expect(open.map(([path]) => path)).toEqual(['/health', '/metrics', '/files/{fileKey}', '/openapi.json']);
});

/** Method and path of every required endpoint. */
const required = [
  ...['POST /spaces', 'GET /spaces', 'GET /spaces/{spaceId}', 'PUT /spaces/{spaceId}', 'DELETE /spaces/{spaceId}'],
  ...['POST /spaces/{spaceId}/collections', 'GET /spaces/{spaceId}/collections'],
  ...['POST /spaces/{spaceId}/sources', 'GET /spaces/{spaceId}/sources', 'GET /collections/{collectionId}/sources'],
  ...['GET /sources/{sourceId}', 'PATCH /sources/{sourceId}', 'DELETE /sources/{sourceId}'],
  ...['PATCH /sources/{sourceId}/toggle-pin', 'POST /sources/{sourceId}/reprocess', 'POST /sources/{sourceId}/cancel'],
  ...['POST /sources/{sourceId}/refresh', 'POST /sources/{sourceId}/restore', 'GET /spaces/{spaceId}/artifacts'],
  ...['PUT /source-artifact/{artifactId}/process', 'PUT /source-artifact/{artifactId}/promote', 'POST /upload/s3'],
  ...['POST /api-keys', 'GET /api-keys', 'DELETE /api-keys/{keyId}', 'POST /support/tickets'],
];

test('all 28 required endpoints exist', async () => {
  const { body } = await send(`${apiUrl}/openapi.json`, 'GET');
  expect([...required, 'GET /health', 'GET /metrics']).toHaveLength(28);
  const missing = required.filter((endpoint) => {
    const [method = '', path] = endpoint.split(' ');
    return body.paths[`/v1${path}`]?.[method.toLowerCase()] === undefined;
  });
  expect(missing).toEqual([]);
});

test('the pages at /docs load everything from this server', async () => {
  const page = await fetch(`${apiUrl}/docs`);
  expect([page.status, page.url]).toEqual([200, `${apiUrl}/docs/`]);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|\*/);
  const html = await page.text();
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses).toEqual(['js/scalar.js']);
  expect(html).toContain('"url": "/openapi.json"');
  const script = await fetch(new URL('js/scalar.js', page.url));
  expect([script.status, script.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')]);
});

const good = { 'content-type': 'application/json', 'x-request-id': 'a' };

test.each([
  ['an undocumented status', { status: 418 }, /returned 418/],
  ['a missing field', { body: { data: { id: 'a' } } }, /required property 'name'/],
  ['an undocumented field', { body: { data: [], more: 1 } }, /additional properties/],
  ['a wrong media type', { headers: new Headers({ ...good, 'content-type': 'text/html' }), body: '' }, /is text\/html/],
  ['a missing header', { headers: new Headers() }, /lacks X-Request-Id/],
  ['an undocumented header', { headers: new Headers({ ...good, location: '/' }) }, /has Location/],
  ['an undocumented method', { method: 'PUT' }, /not in the document/],
])('%s is an error of expectDocumented', async (_, change, message) => {
  const response = { method: 'POST', origin: apiUrl, path: '/api/v1/spaces', status: 201, body: {} };
  await expect(expectDocumented({ ...response, headers: new Headers(good), ...change })).rejects.toThrow(message);
});
