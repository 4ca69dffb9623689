/** Malformed HTTP requests get an error response in the usual shape. */
import { newUser } from '../../support/client.ts';
import { stack } from '../../support/stack.ts';
import { errorOf, rawBytes, wire } from '../wire.ts';

const host = 'Host: a\r\n';
const notHttp = 'The request is not valid HTTP.';

test.each([
  ['text that is not HTTP', 'hello\r\n\r\n', 400, notHttp],
  ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, notHttp],
  ['an unknown version', `GET /health HTTP/9.9\r\n${host}\r\n`, 400, notHttp],
  ['an unknown method', `BREW /health HTTP/1.1\r\n${host}\r\n`, 400, notHttp],
  ['a header without a colon', `GET /health HTTP/1.1\r\n${host}nonsense\r\n\r\n`, 400, notHttp],
  ['a header name with a space', `GET /health HTTP/1.1\r\n${host}a b: c\r\n\r\n`, 400, notHttp],
  ['a malformed length', `POST /v1/spaces HTTP/1.1\r\n${host}Content-Length: x\r\n\r\n`, 400, notHttp],
  ['two lengths', `POST /v1/spaces HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`, 400, notHttp],
  [
    'a length and chunks',
    `POST /v1/spaces HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    notHttp,
  ],
  ['a header of 20 kB', `GET /health HTTP/1.1\r\n${host}a: ${'b'.repeat(20_000)}\r\n\r\n`, 431, /too large/],
  ['a path of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431, /too large/],
  ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'The request is not valid.'],
  [
    'an unknown Expect',
    `POST /v1/spaces HTTP/1.1\r\n${host}Expect: 200-ok\r\nConnection: close\r\n\r\n`,
    417,
    /100-continue/,
  ],
  [
    'the request target *',
    `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    404,
    'There is nothing at this path.',
  ],
  [
    'a proxy request',
    `GET http://example.com/ HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    404,
    'There is nothing at this path.',
  ],
])('%s gets an error response', async (_, bytes, status, message) => {
  const response = await rawBytes(stack().apiUrl, bytes);
  expect(response.status).toBe(status);
  const error = errorOf(response, 'rest');
  expect(error).toMatchObject({ code: status, message: expect.stringMatching(message) });
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('a malformed chunk is 400', async () => {
  const { key } = await newUser();
  const head = `POST /v1/spaces HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const response = await rawBytes(stack().apiUrl, `${head}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`);
  expect(response.status).toBe(400);
  expect(errorOf(response, 'rest').code).toBe(400);
});

test.each([
  ['/v1/spaces', 200],
  ['/v1/upload/s3', 405],
  ['/v1/nothing', 404],
  ['/v1/spaces/abc', 404],
  ['/trpc/spaces.list', 405],
])('HEAD %s is %d without a body, and has X-Request-Id', async (path, status) => {
  const { key, apiUrl } = await newUser();
  const response = await wire(apiUrl, 'HEAD', path, { authorization: `Bearer ${key}` });
  expect(response).toMatchObject({ status, text: '' });
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  if (status === 405) expect(response.headers.allow).toMatch(/^(POST|GET, POST)$/);
});
