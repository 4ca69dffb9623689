import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Resolve } from '../../platform/checked-connection.ts';
import type { Egress, EgressRequest } from '../../platform/egress.ts';
import { client, limits, listen, resolveTo, serve } from './outside.ts';

const text = (body: Uint8Array) => Buffer.from(body).toString();

const sendTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { location }).end();
  };

describe('a request', () => {
  test('returns status, headers, body and URL, whatever the status', async () => {
    const { port, base } = await serve((request, response) => {
      response.writeHead(404, { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2'] });
      response.end(`nothing at ${request.url}`);
    });
    const response = await client([port]).fetch(`${base}/a?b=c#d`, limits);
    expect(response).toMatchObject({
      status: 404,
      contentType: 'text/plain',
      url: `${base}/a?b=c#d`,
      truncated: false,
    });
    expect(response.headers['set-cookie']).toBe('a=1, b=2');
    expect(text(response.body)).toBe('nothing at /a?b=c');
  });

  test('sends method, headers and body', async () => {
    const { port, base } = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      response.end(
        JSON.stringify({
          method: request.method,
          type: request.headers['content-type'],
          agent: request.headers['user-agent'],
          body,
        }),
      );
    });
    const response = await client([port]).fetch(base, {
      ...limits,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'test' },
      body: '{"a":"ä"}',
    });
    expect(JSON.parse(text(response.body))).toEqual({
      method: 'POST',
      type: 'application/json',
      agent: 'test',
      body: '{"a":"ä"}',
    });
  });

  test('sends Connection: close', async () => {
    const { port, base } = await serve((request, response) => response.end(request.headers.connection));
    const response = await client([port]).fetch(base, limits);
    expect(text(response.body)).toBe('close');
  });

  test('of HEAD has an empty body whatever its Content-Length', async () => {
    const { port, base } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '5000000', 'content-encoding': 'gzip' }).end();
    });
    const response = await client([port]).fetch(base, { ...limits, method: 'HEAD' });
    expect(response).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });
});

describe('the address', () => {
  const reject = async (egress: Egress, url: string) => egress.fetch(url, limits);

  test('that is private is fetch_blocked_address, and the server is not reached', async () => {
    const { port, base, requests } = await serve((_request, response) => response.end());
    await expect(reject(client([]), base)).rejects.toMatchObject({ code: 'fetch_blocked_address', retryable: false });
    await expect(reject(client([port + 1]), base)).rejects.toMatchObject({ code: 'fetch_blocked_address' });
    expect(requests).toEqual([]);
  });

  test('of the name localhost is rejected unless it is allowed', async () => {
    const { port, requests } = await serve((_request, response) => response.end('here'));
    await expect(reject(client([]), `http://localhost:${port}/`)).rejects.toMatchObject({
      code: 'fetch_blocked_address',
      message: expect.stringMatching(/^localhost leads to a private or reserved address\./),
    });
    expect(requests).toEqual([]);
    const response = await client([port]).fetch(`http://localhost:${port}/`, limits);
    expect(text(response.body)).toBe('here');
  });

  test('is resolved once per request, and the checked address is the one connected to', async () => {
    const good = await serve((_request, response) => response.end('checked'));
    const inner = await serve((_request, response) => response.end('secret'), '127.0.0.2', good.port);
    const resolved = ['127.0.0.1', '127.0.0.2'];
    let lookups = 0;
    const rebinding: Resolve = async () => {
      const address = resolved[lookups] ?? '127.0.0.2';
      lookups += 1;
      return [{ address, family: 4 }];
    };
    const egress = client([good.port], rebinding);
    const response = await egress.fetch(`http://rebinding.test:${good.port}/`, limits);
    expect(text(response.body)).toBe('checked');
    expect(lookups).toBe(1);
    // The next request resolves and checks again: connections are not reused.
    await expect(reject(egress, `http://rebinding.test:${good.port}/`)).rejects.toMatchObject({
      code: 'fetch_blocked_address',
    });
    expect(lookups).toBe(2);
    expect(inner.requests).toEqual([]);
  });

  test('is the permitted one of several addresses of a name', async () => {
    const good = await serve((_request, response) => response.end('permitted'));
    const inner = await serve((_request, response) => response.end('secret'), '127.0.0.2', good.port);
    const egress = client([good.port], resolveTo('127.0.0.2', '::1', '127.0.0.1'));
    const response = await egress.fetch(`http://mixed.test:${good.port}/`, limits);
    expect(text(response.body)).toBe('permitted');
    expect(inner.requests).toEqual([]);
  });

  test('of a name that does not resolve is fetch_dns', async () => {
    const failing: Resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    await expect(reject(client([], failing), 'http://nowhere.test/')).rejects.toMatchObject({
      code: 'fetch_dns',
      message: expect.stringContaining('nowhere.test'),
    });
    await expect(reject(client([], resolveTo()), 'http://nowhere.test/')).rejects.toMatchObject({ code: 'fetch_dns' });
    await expect(reject(client([]), 'http://nowhere.invalid/')).rejects.toMatchObject({ code: 'fetch_dns' });
  });

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'http://user:secret@example.com/', 'no url'])(
    'is not resolved for %s',
    async (url) => {
      const never: Resolve = () => Promise.reject(new Error('looked up'));
      await expect(reject(client([], never), url)).rejects.toMatchObject({ code: 'fetch_blocked_address' });
    },
  );
});

describe('redirects', () => {
  test('are followed up to five, relative ones too', async () => {
    const { port, base, requests } = await serve((request, response) => {
      const hop = Number(request.url?.slice(1));
      if (hop === 5) response.end('end');
      else response.writeHead(302, { location: `${hop + 1}` }).end();
    });
    const response = await client([port]).fetch(`${base}/0`, limits);
    expect(response).toMatchObject({ status: 200, url: `${base}/5` });
    expect(requests).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
  });

  test('to a forbidden address are rejected, and the server is not reached', async () => {
    const inner = await serve((_request, response) => response.end('secret'));
    for (const target of [`127.0.0.1:${inner.port}`, `localhost:${inner.port}`, `0x7f.1:${inner.port}`]) {
      const { port, base } = await serve(sendTo(`http://${target}/`));
      await expect(client([port]).fetch(base, limits)).rejects.toMatchObject({ code: 'fetch_blocked_address' });
    }
    expect(inner.requests).toEqual([]);
  });

  test('are followed without reading their endless body, and the connection is closed', async () => {
    const { port, base, server } = await serve((request, response) => {
      if (request.url === '/end') return void response.end('end');
      response.writeHead(302, { location: '/end' });
      response.write('moved');
    });
    const disconnected = new Promise((resolve) => server.once('connection', (socket) => socket.on('close', resolve)));
    const response = await client([port]).fetch(base, limits);
    expect(text(response.body)).toBe('end');
    await disconnected;
  });

  test('are returned unfollowed with redirect: refuse, and always for POST', async () => {
    const { port, base, requests } = await serve(sendTo('/elsewhere', 307));
    const egress = client([port]);
    expect(await egress.fetch(base, { ...limits, redirect: 'refuse' })).toMatchObject({ status: 307 });
    expect(await egress.fetch(base, { ...limits, method: 'POST', body: 'x' })).toMatchObject({ status: 307 });
    expect(requests).toEqual(['/', '/']);
  });

  test('keep the Authorization header only within an origin', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-kept']?.toString());
      response.end();
    });
    const { port, base } = await serve((request, response) => {
      seen.push(request.headers.authorization);
      const location = request.url === '/' ? '/next' : other.base;
      response.writeHead(302, { location }).end();
    });
    const headers = { Authorization: 'Bearer x', 'X-Kept': 'yes' };
    await client([port, other.port]).fetch(`${base}/`, { ...limits, headers });
    expect(seen).toEqual(['Bearer x', 'Bearer x', undefined, 'yes']);
  });
});

describe('the body', () => {
  const plain = 'Grüße, '.repeat(1000);

  test.each([
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['zstd', zstdCompressSync(plain)],
    ['identity', Buffer.from(plain)],
    ['gzip, br', brotliCompressSync(gzipSync(plain))],
  ])('is decompressed: %s', async (coding, bytes) => {
    const { port, base } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(bytes);
    });
    const response = await client([port]).fetch(base, limits);
    expect(text(response.body)).toBe(plain);
  });

  test.each([
    ['gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['zstd', zstdCompressSync(plain)],
  ])('that is damaged or truncated within its compression is fetch_connection: %s', async (coding, bytes) => {
    for (const sent of [
      bytes.subarray(0, bytes.length - 6),
      Buffer.concat([bytes.subarray(0, 9), Buffer.alloc(200, 0x5a)]),
    ]) {
      const { port, base } = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': coding }).end(sent);
      });
      await expect(client([port]).fetch(base, limits)).rejects.toMatchObject({
        code: 'fetch_connection',
        retryable: true,
      });
    }
  });

  test.each(['compress', 'gzip, gzip, gzip'])('in an unsupported coding is not retryable: %s', async (coding) => {
    const { port, base } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end('x');
    });
    await expect(client([port]).fetch(base, limits)).rejects.toMatchObject({
      code: 'fetch_connection',
      retryable: false,
    });
  });

  test('may have exactly maxBytes', async () => {
    const { port, base } = await serve((request, response) => {
      // In two writes, so that no length is announced.
      response.write('x'.repeat(999));
      response.end(request.url === '/more' ? 'xx' : 'x');
    });
    const egress = client([port]);
    expect((await egress.fetch(base, { ...limits, maxBytes: 1000 })).body).toHaveLength(1000);
    await expect(egress.fetch(`${base}/more`, { ...limits, maxBytes: 1000 })).rejects.toMatchObject({
      code: 'fetch_too_large',
    });
  });

  /** Sends `chunk` until the client disconnects. */
  const endless =
    (headers: Record<string, string>, chunk: Buffer): RequestListener =>
    (_request, response: ServerResponse) => {
      response.writeHead(200, headers);
      const more = () => {
        if (!response.destroyed) response.write(chunk, more);
      };
      more();
    };

  test('beyond maxBytes closes the connection at once, before the end of the body', async () => {
    const { port, base, server } = await serve(endless({}, Buffer.alloc(10_000)));
    const disconnected = new Promise((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
    await expect(client([port]).fetch(base, limits)).rejects.toMatchObject({
      code: 'fetch_too_large',
      retryable: false,
    });
    await disconnected;
  });

  test('is counted decompressed: an endless bomb ends with less than 30 MB of memory and 50 MB sent', async () => {
    // Endlessly 1 MB of zeros per 1 kB sent.
    const { port, base, server } = await serve(
      endless({ 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(1_000_000))),
    );
    let sent = 0;
    const disconnected = new Promise<void>((resolve) => {
      server.on('connection', (socket) => {
        socket.on('close', () => {
          sent = socket.bytesWritten;
          resolve();
        });
      });
    });
    const before = process.memoryUsage().arrayBuffers;
    await expect(client([port]).fetch(base, { ...limits, maxBytes: 5_000_000 })).rejects.toMatchObject({
      code: 'fetch_too_large',
    });
    const used = process.memoryUsage().arrayBuffers - before;
    await disconnected;
    expect(used).toBeLessThan(30_000_000);
    // Socket buffers take more than was read.
    expect(sent).toBeLessThan(50_000_000);
  });

  test('with a Content-Length beyond the limit is rejected before it is sent', async () => {
    const { port, base } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '2000000' });
      response.flushHeaders();
    });
    await expect(client([port]).fetch(base, limits)).rejects.toMatchObject({ code: 'fetch_too_large' });
  });

  test.each([
    ['a length', { 'content-length': '100' }],
    ['chunks', {}],
  ])('that ends early is fetch_connection: %s', async (_kind, headers) => {
    const { port, base } = await serve((_request, response) => {
      response.writeHead(200, headers);
      response.write('ten bytes.', () => response.destroy());
    });
    await expect(client([port]).fetch(base, limits)).rejects.toMatchObject({
      code: 'fetch_connection',
      retryable: true,
    });
  });

  describe('with partialBody: keep', () => {
    test('is cut at the limit', async () => {
      const { port, base } = await serve(endless({}, Buffer.alloc(700, 'x')));
      const response = await client([port]).fetch(base, { ...limits, maxBytes: 1000, partialBody: 'keep' });
      expect(response).toMatchObject({ status: 200, truncated: true });
      expect(text(response.body)).toBe('x'.repeat(1000));
    });

    test('is the part received before a disconnect, the timeout or an unsupported coding', async () => {
      const { port, base } = await serve((request, response) => {
        const length = request.url === '/late' || request.url === '/broken' ? { 'content-length': '100' } : {};
        response.writeHead(200, request.url === '/odd' ? { 'content-encoding': 'compress' } : length);
        response.write('ten bytes.', () => {
          if (request.url === '/broken') response.destroy();
          if (request.url === '/odd') response.end();
        });
      });
      const egress = client([port]);
      const keep = { maxBytes: 1000, timeoutMs: 300, partialBody: 'keep' } satisfies EgressRequest;
      for (const path of ['/late', '/broken']) {
        const response = await egress.fetch(base + path, keep);
        expect(response).toMatchObject({ status: 200, truncated: true });
        expect(text(response.body)).toBe('ten bytes.');
      }
      expect(await egress.fetch(`${base}/odd`, keep)).toMatchObject({ status: 200, truncated: true });
    });
  });
});

describe('the timeout', () => {
  test('ends the wait for headers and the resolution of a name', async () => {
    const { port, base } = await serve(() => {});
    await expect(client([port]).fetch(base, { ...limits, timeoutMs: 100 })).rejects.toMatchObject({
      code: 'fetch_timeout',
    });
    const never: Resolve = () => new Promise(() => {});
    await expect(client([], never).fetch('http://slow.test/', { ...limits, timeoutMs: 100 })).rejects.toMatchObject({
      code: 'fetch_timeout',
    });
  });

  test('counts for all redirects together', async () => {
    const { port, base } = await serve((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 100);
    });
    const request = { ...limits, timeoutMs: 350, maxRedirects: 1000 };
    await expect(client([port]).fetch(base, request)).rejects.toMatchObject({ code: 'fetch_timeout' });
  });
});

describe('a signal', () => {
  const reason = new Error('canceled by the user');

  test.each(['refuse', 'keep'] as const)(
    'ends a request with its reason, and the connection: %s',
    async (partialBody) => {
      for (const path of ['/headers', '/body']) {
        const controller = new AbortController();
        const { port, base, server } = await serve((request, response) => {
          if (request.url === '/headers') controller.abort(reason);
          // More than the operating system buffers: once it is sent, the client has read the headers.
          else response.write(Buffer.alloc(30_000_000), () => controller.abort(reason));
        });
        const disconnected = new Promise((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
        const request = { ...limits, maxBytes: 50_000_000, partialBody, signal: controller.signal };
        await expect(client([port]).fetch(base + path, request)).rejects.toBe(reason);
        await disconnected;
      }
    },
  );

  test('that is already aborted prevents the request', async () => {
    const { port, base, requests } = await serve((_request, response) => response.end());
    await expect(client([port]).fetch(base, { ...limits, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(requests).toEqual([]);
  });

  test('aborted during the resolution of a name prevents the connection', async () => {
    const { port, server } = await serve((_request, response) => response.end());
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const controller = new AbortController();
    const resolution = Promise.withResolvers<LookupAddress[]>();
    const waiting = Promise.withResolvers<void>();
    const egress = client([port], () => {
      waiting.resolve();
      return resolution.promise;
    });
    const request = egress.fetch(`http://slow.test:${port}/`, { ...limits, signal: controller.signal });
    await waiting.promise;
    controller.abort(reason);
    await expect(request).rejects.toBe(reason);
    resolution.resolve([{ address: '127.0.0.1', family: 4 }]);
    // A later request shows that the server was reachable.
    await egress.fetch(`http://slow.test:${port}/`, limits);
    expect(connections).toBe(1);
  });
});

describe('connections', () => {
  test('that are refused or reset are fetch_connection', async () => {
    const reset = createTcpServer((socket) => socket.on('data', () => socket.resetAndDestroy()));
    const resetPort = await listen(reset);
    const closed = createTcpServer();
    const closedPort = await listen(closed);
    closed.close();
    await once(closed, 'close');
    const egress = client([resetPort, closedPort]);
    for (const port of [resetPort, closedPort]) {
      await expect(egress.fetch(`http://127.0.0.1:${port}/`, limits)).rejects.toMatchObject({
        code: 'fetch_connection',
        retryable: true,
      });
    }
    await expect(egress.fetch(`http://localhost:${closedPort}/`, limits)).rejects.toMatchObject({
      code: 'fetch_connection',
    });
  });

  test('to a server that does not speak HTTP are fetch_connection', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('data', () => socket.end('220 mail ready\r\n'))));
    await expect(client([port]).fetch(`http://127.0.0.1:${port}/`, limits)).rejects.toMatchObject({
      code: 'fetch_connection',
    });
  });

  test('end with close, and later requests are rejected', async () => {
    const arrived = Promise.withResolvers<void>();
    const { port, base } = await serve(() => arrived.resolve());
    const egress = client([port]);
    const request = egress.fetch(base, limits);
    const rejected = expect(request).rejects.toThrow('closed');
    await arrived.promise;
    await egress.close();
    await rejected;
    await expect(egress.fetch(base, limits)).rejects.toThrow('closed');
  });
});

describe('TLS', () => {
  let port = 0;
  beforeEach(async () => {
    const server = createTlsServer({ key, cert }, (_request, response) => response.end('secure'));
    port = await listen(server);
  });

  test('with an untrusted certificate is fetch_tls', async () => {
    const egress = client([port], resolveTo('127.0.0.1'));
    await expect(egress.fetch(`https://trusted.test:${port}/`, limits)).rejects.toMatchObject({
      code: 'fetch_tls',
      retryable: false,
    });
  });

  test('with a trusted certificate works only for its name', async () => {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    try {
      const egress = client([port], resolveTo('127.0.0.1'));
      const response = await egress.fetch(`https://trusted.test:${port}/`, limits);
      expect(text(response.body)).toBe('secure');
      await expect(egress.fetch(`https://other.test:${port}/`, limits)).rejects.toMatchObject({ code: 'fetch_tls' });
      await expect(egress.fetch(`https://127.0.0.1:${port}/`, limits)).rejects.toMatchObject({ code: 'fetch_tls' });
    } finally {
      setDefaultCACertificates(before);
    }
  });

  test('with a server that speaks plain HTTP is fetch_tls', async () => {
    const plainServer = await serve((_request, response) => response.end());
    await expect(
      client([plainServer.port]).fetch(`https://127.0.0.1:${plainServer.port}/`, limits),
    ).rejects.toMatchObject({
      code: 'fetch_tls',
    });
  });
});

/** A self-signed certificate for trusted.test, valid from 2020 to 2120, made for this file. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgf5D/BuQ8k+mq2qGo
UhzPFDtY7GjVv/7JS2/+Ze1watihRANCAATem524HrlLniB69itjub9yUYDPH3F2
vDAe80JMLj6z14mVyLUwmmvv9j4L8PApduXqy+d4ea/Tkc9cH8lsB9sx
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBazCCARCgAwIBAgIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAx0cnVzdGVk
LnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBcxFTATBgNV
BAMMDHRydXN0ZWQudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABN6bnbge
uUueIHr2K2O5v3JRgM8fcXa8MB7zQkwuPrPXiZXItTCaa+/2Pgvw8Cl25erL53h5
r9ORz1wfyWwH2zGjSzBJMA8GA1UdEwEB/wQFMAMBAf8wFwYDVR0RBBAwDoIMdHJ1
c3RlZC50ZXN0MB0GA1UdDgQWBBS22V8L7rNlAG4TnF2AhHRy7IcWeDAKBggqhkjO
PQQDAgNJADBGAiEAv/4t1gRTHuLBw8FMzToSFJIXS+/GmCd56hWTxV3Y0fACIQDA
TUYaTnJElBUtAkh5DP1OpyucLCEypYyVx0ypKPLNVQ==
-----END CERTIFICATE-----`;
