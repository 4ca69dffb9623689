/** Attacks of servers on the outbound client: each ends with its error code, in time and with bounded bytes. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { SourceErrorCode } from '../../contract/errors.ts';
import type { EgressRequest } from '../../platform/egress.ts';
import { refusedHosts } from '../support/refused-hosts.ts';
import { client, limits, listen, resolveTo, serve } from './outside.ts';

/** A server on a private address that must not be reached; `requests` lists the paths that reached it. */
const inner = () => serve((_request, response) => response.end('secret'));

const blocked = { code: 'fetch_blocked_address', retryable: false };

describe('a forbidden address is fetch_blocked_address without a connection', () => {
  test.each(refusedHosts)('as the host of a URL: %s %s', async (_kind, host) => {
    const { port, requests } = await inner();
    await expect(client([]).fetch(`http://${host}:${port}/`, limits)).rejects.toMatchObject(blocked);
    expect(requests).toEqual([]);
  });

  const addresses: [kind: string, addresses: string[]][] = [
    ['IPv4 alone', ['127.0.0.1']],
    ['IPv6 alone', ['::1']],
    ['metadata', ['169.254.169.254']],
    ['metadata over IPv6', ['fd00:ec2::254']],
    ['several, none of them public', ['10.1.2.3', '192.168.7.8', 'fc00::12']],
    ['link-local with a zone', ['fe80::12%eth0']],
    ['loopback with a zone', ['::1%lo']],
    ['IPv4-mapped', ['::ffff:127.0.0.1']],
    ['IPv4-mapped in hexadecimal', ['::ffff:7f00:1']],
    ['IPv4-compatible', ['::127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['NAT64 for local use', ['64:ff9b:1::7f00:1']],
    ['6to4', ['2002:7f00:1::']],
    ['Teredo', ['2001:0:53aa:64c::1']],
    ['ISATAP', ['2606:4700::5efe:7f00:1']],
    ['unspecified', ['0.0.0.0', '::']],
    ['CGNAT', ['100.64.0.1']],
    ['multicast and broadcast', ['224.0.0.1', '255.255.255.255', 'ff02::1']],
    ['no address at all', ['localhost', '2130706433', '']],
  ];
  test.each(addresses)('as what a name resolves to, without the address in the message: %s', async (_kind, found) => {
    const { port, requests } = await inner();
    const rejected = client([], resolveTo(...found)).fetch(`http://name.test:${port}/`, limits);
    await expect(rejected).rejects.toMatchObject({
      ...blocked,
      message:
        'name.test leads to a private or reserved address. Use an address that is reachable from the public internet.',
    });
    expect(requests).toEqual([]);
  });

  test('as another port of an address that the operator allows, or as a form of it within IPv6', async () => {
    const { port, requests } = await inner();
    const egress = client([port + 1]);
    for (const host of [`127.0.0.1:${port}`, `2130706433:${port}`, `[::ffff:127.0.0.1]:${port + 1}`]) {
      await expect(egress.fetch(`http://${host}/`, limits)).rejects.toMatchObject(blocked);
    }
    expect(requests).toEqual([]);
  });

  test.each(['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])(
    'with %s in the environment, which is ignored',
    async (name) => {
      const proxy = await inner();
      const { port, base } = await serve((_request, response) => response.end('direct'));
      process.env[name] = proxy.base;
      try {
        const { body } = await client([port, proxy.port]).fetch(base, limits);
        expect(Buffer.from(body).toString()).toBe('direct');
        await expect(client([proxy.port]).fetch('http://10.0.0.1/', limits)).rejects.toMatchObject(blocked);
      } finally {
        delete process.env[name];
      }
      expect(proxy.requests).toEqual([]);
    },
  );
});

describe('a redirect', () => {
  async function redirected(location: (port: number) => string, status: number) {
    const { port, requests } = await inner();
    const outer = await serve((_request, response) => {
      response.writeHead(status, { location: location(port) }).end();
    });
    return { requests, fetched: client([outer.port]).fetch(outer.base, limits) };
  }

  const inside: [kind: string, location: (port: number) => string][] = [
    ['an address', (port) => `http://127.0.0.1:${port}/`],
    ['an address over TLS', (port) => `https://127.0.0.1:${port}/`],
    ['another spelling', (port) => `http://0x7f.1:${port}/`],
    ['IPv6', (port) => `http://[::1]:${port}/`],
    ['a name', (port) => `http://localhost:${port}/`],
    ['the same scheme', (port) => `//127.0.0.1:${port}/`],
    ['backslashes', (port) => `\\\\127.0.0.1:${port}/`],
    ['a slash and a backslash', (port) => `/\\127.0.0.1:${port}/`],
    ['tabs within', (port) => `http:/\t/127.\t0.0.1:${port}/`],
    ['credentials', (port) => `http://user:password@127.0.0.1:${port}/`],
    ['a name as the user of an address', (port) => `http://example.com@127.0.0.1:${port}/`],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['port 0', () => 'http://127.0.0.1:0/'],
    ['a host of 10 kB', () => `http://${'a'.repeat(10_000)}/`],
    ['a file', () => 'file:///etc/passwd'],
    ['gopher', (port) => `gopher://127.0.0.1:${port}/_GET%20/`],
    ['data', () => 'data:text/html,<h1>inside</h1>'],
    ['ftp', (port) => `ftp://127.0.0.1:${port}/`],
    ['javascript', () => 'javascript:alert(1)'],
    ['no URL', () => 'http://'],
  ];
  test.each(inside)('to a forbidden address is rejected: %s', async (_kind, location) => {
    const { requests, fetched } = await redirected(location, 302);
    await expect(fetched).rejects.toMatchObject(blocked);
    expect(requests).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('to a forbidden address is rejected with status %d', async (status) => {
    const { requests, fetched } = await redirected((port) => `http://127.0.0.1:${port}/`, status);
    await expect(fetched).rejects.toMatchObject(blocked);
    expect(requests).toEqual([]);
  });

  test.each([
    ['to itself', (url: string) => url],
    ['back and forth', (url: string) => (url === '/' ? '/other' : '/')],
    ['to new paths', (url: string) => `${url}x`],
  ])('%s is rejected after five', async (_kind, next) => {
    const { port, base, requests } = await serve((request, response) => {
      response.writeHead(302, { location: next(request.url ?? '') }).end();
    });
    await expect(client([port]).fetch(base, limits)).rejects.toMatchObject({
      code: 'fetch_too_many_redirects',
      retryable: false,
    });
    expect(requests).toHaveLength(6);
  });
});

/** A server that runs `attack` on its connection once the request has arrived. */
async function attacker(attack: (socket: Socket) => void) {
  const closed = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => attack(socket));
    socket.once('close', () => closed.resolve(socket));
  });
  const port = await listen(server);
  return { port, base: `http://127.0.0.1:${port}`, closed: closed.promise };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
/** Writes all parts and closes the connection. */
const whole =
  (...parts: (string | Uint8Array)[]) =>
  (socket: Socket): void => {
    for (const part of parts) socket.write(part);
    socket.end();
  };
/** Writes the parts, then repeats the last one, as fast as the client reads or every `everyMs`. */
const repeating =
  (everyMs?: number) =>
  (...parts: (string | Uint8Array)[]) =>
  (socket: Socket): void => {
    for (const part of parts.slice(0, -1)) socket.write(part);
    const again = () => {
      if (socket.destroyed) return;
      const taken = socket.write(parts.at(-1) ?? '');
      if (everyMs !== undefined) setTimeout(again, everyMs);
      else if (taken) setImmediate(again);
      else socket.once('drain', again);
    };
    again();
  };
const endless = repeating();
const slow = repeating(20);
const coded = (coding: string) => `${ok}Content-Encoding: ${coding}\r\n\r\n`;
const interim = 'HTTP/1.1 103 Early Hints\r\n';
const zeros = Buffer.alloc(10_000_000);
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const zlibHeader = Buffer.from([0x78, 0x9c]);
const gzipHeaderWithName = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
const zstdHugeWindow = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8]);
const repeated = (part: Uint8Array, times: number) => Buffer.concat(Array<Uint8Array>(times).fill(part));
const emptyMembers = repeated(gzipSync(''), 50_000);
/** An empty deflate block that is not the last (RFC 1951 section 3.2.4), repeated. */
const emptyBlocks = repeated(Buffer.from([0, 0, 0, 0xff, 0xff]), 10_000);

const attacks: [kind: string, code: SourceErrorCode, attack: (socket: Socket) => void][] = [
  ['a gzip bomb', 'fetch_too_large', endless(coded('gzip'), gzipSync(zeros))],
  ['a deflate bomb', 'fetch_too_large', whole(coded('deflate'), deflateSync(zeros))],
  ['a brotli bomb', 'fetch_too_large', whole(coded('br'), brotliCompressSync(zeros, quickly))],
  ['a zstd bomb', 'fetch_too_large', whole(coded('zstd'), zstdCompressSync(zeros))],
  ['a bomb within a bomb', 'fetch_too_large', whole(coded('gzip, gzip'), gzipSync(gzipSync(zeros)))],
  ['empty gzip members', 'fetch_too_large', endless(coded('gzip'), emptyMembers)],
  ['a bomb of empty gzip members', 'fetch_too_large', endless(coded('gzip, gzip'), gzipSync(emptyMembers))],
  ['empty deflate blocks', 'fetch_too_large', endless(coded('deflate'), zlibHeader, emptyBlocks)],
  ['an endless file name in gzip', 'fetch_too_large', endless(coded('gzip'), gzipHeaderWithName, 'x'.repeat(10_000))],
  ['a zstd window larger than memory', 'fetch_connection', whole(coded('zstd'), zstdHugeWindow, Buffer.alloc(1000, 2))],
  ['three codings', 'fetch_connection', whole(coded('gzip, gzip, gzip'), 'x')],
  ['an endless body', 'fetch_too_large', endless(`${ok}\r\n`, 'x'.repeat(10_000))],
  ['an endless body in chunks', 'fetch_too_large', endless(chunked, `2710\r\n${'x'.repeat(10_000)}\r\n`)],
  ['an announced length beyond the limit', 'fetch_too_large', slow(`${ok}Content-Length: 99999999999\r\n\r\n`, 'x')],
  ['an endless chunk extension', 'fetch_too_large', endless(`${chunked}1;`, 'x'.repeat(10_000))],
  ['endless chunks with extensions of 15 kB', 'fetch_too_large', endless(chunked, `1;${'x'.repeat(15_000)}\r\nx\r\n`)],
  ['an endless chunk size', 'fetch_too_large', endless(chunked, '0'.repeat(10_000))],
  ['endless interim responses', 'fetch_too_large', endless(`${interim}Link: <${'x'.repeat(10_000)}>\r\n\r\n`)],
  ['an endless status line', 'fetch_too_large', endless('HTTP/1.1 200 ', 'x'.repeat(10_000))],
  ['endless empty lines', 'fetch_too_large', endless('\r\n'.repeat(5_000))],
  ['endless headers', 'fetch_connection', endless(ok, `X-Header: ${'x'.repeat(1_000)}\r\n`)],
  ['an endless header name', 'fetch_connection', endless(ok, 'x'.repeat(10_000))],
  ['endless trailers', 'fetch_connection', endless(`${chunked}1\r\nx\r\n0\r\n`, `X-T: ${'x'.repeat(1_000)}\r\n`)],
  ['a body byte by byte', 'fetch_timeout', slow(`${ok}\r\n`, 'x')],
  ['headers line by line', 'fetch_timeout', slow(ok, 'X: y\r\n')],
  ['slow interim responses', 'fetch_timeout', slow(`${interim}\r\n`)],
  ['a compressed body block by block', 'fetch_timeout', slow(coded('deflate'), zlibHeader, emptyBlocks.subarray(0, 5))],
  ['silence', 'fetch_timeout', () => {}],
  ['a close without a response', 'fetch_connection', (socket) => socket.destroy()],
  ['a response of HTTP/0.9', 'fetch_connection', whole('<html>hello</html>')],
  ['a response of another protocol', 'fetch_connection', whole('ICY 200 OK\r\n\r\nhello')],
  ['an unrequested upgrade', 'fetch_connection', whole('HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')],
  ['a status below 100', 'fetch_connection', whole('HTTP/1.1 099 What\r\nContent-Length: 0\r\n\r\n')],
  ['a body shorter than announced', 'fetch_connection', whole(`${ok}Content-Length: 9\r\n\r\nhello`)],
  ['two lengths', 'fetch_connection', whole(`${ok}Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello`)],
  [
    'a length and chunks',
    'fetch_connection',
    whole(`${ok}Content-Length: 2\r\n${chunked.slice(ok.length)}2\r\nxx\r\n0\r\n\r\n`),
  ],
  ['a negative length', 'fetch_connection', whole(`${ok}Content-Length: -1\r\n\r\nhello`)],
  ['a chunk size beyond 64 bits', 'fetch_connection', whole(`${chunked}ffffffffffffffffff\r\nhello`)],
  ['a header with a bare CR', 'fetch_connection', whole(`${ok}X-A: a\rSet-Cookie: b\r\nContent-Length: 0\r\n\r\n`)],
  ['a header with a bare LF', 'fetch_connection', whole(`${ok}X-A: a\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n`)],
  ['a header with a NUL', 'fetch_connection', whole(`${ok}X-A: a\0b\r\nContent-Length: 0\r\n\r\n`)],
  ['a folded header', 'fetch_connection', whole(`${ok}X-A: a\r\n b\r\nContent-Length: 0\r\n\r\n`)],
];

describe('a response', () => {
  const request = { maxBytes: 500_000, timeoutMs: 400 } satisfies EgressRequest;

  test.each(attacks)('with %s is %s, closed with less than 16 MB sent', async (_kind, code, attack) => {
    const { port, base, closed } = await attacker(attack);
    // Only slow attacks may reach the timeout.
    const timeoutMs = code === 'fetch_timeout' ? request.timeoutMs : 20_000;
    await expect(client([port]).fetch(base, { ...request, timeoutMs })).rejects.toMatchObject({ code });
    // The buffers of the operating system come on top of the 2 MB that may be received.
    expect((await closed).bytesWritten).toBeLessThan(16_000_000);
  });

  test('with an unfinished TLS handshake is fetch_timeout, and the connection is closed', async () => {
    const opened = Promise.withResolvers<Socket>();
    const port = await listen(createServer((socket) => opened.resolve(socket.on('error', () => {}).resume())));
    const fetched = client([port]).fetch(`https://127.0.0.1:${port}/`, request);
    const rejected = expect(fetched).rejects.toMatchObject({ code: 'fetch_timeout' });
    const socket = await opened.promise;
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(5_000) });
    await rejected;
    await closed;
  });

  test('longer than its Content-Length is read up to that length', async () => {
    const { port, base } = await attacker(whole(`${ok}Content-Length: 5\r\n\r\nhello and more`));
    const { body } = await client([port]).fetch(base, request);
    expect(Buffer.from(body).toString()).toBe('hello');
  });
});
