import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { createStorage, type Storage, type StorageOptions } from '../../platform/storage.ts';
import { ObjectMissingError, ObjectTooLargeError, StorageUnavailableError } from '../../platform/storage-errors.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

let storage: Storage;
let settings: StorageOptions;
const bucket = `storage-test-${process.pid}`;

beforeAll(async () => {
  const { S3_ENDPOINT = '', S3_REGION = '', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = stack().settings;
  settings = {
    endpoint: S3_ENDPOINT,
    publicEndpoint: S3_ENDPOINT,
    region: S3_REGION,
    bucket,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
  };
  storage = createStorage(settings);
  await storage.ensureBucket();
});

afterAll(() => storage.close());

const text = (body: Uint8Array) => Buffer.from(body).toString();

/** A key with all characters that need encoding in a URL. */
const oddKey = 'odd/Grüße an & alle + 100%/a?b#c=d.txt';

describe('objects', () => {
  test('are read as they were put, with type and ETag', async () => {
    const bytes = Buffer.from([0, 255, 1, 254]);
    await storage.put(oddKey, bytes, 'application/x-odd');
    const object = await storage.get(oddKey);
    expect(Buffer.from(object.body).equals(bytes)).toBe(true);
    expect(object.contentType).toBe('application/x-odd');
    expect(await storage.head(oddKey)).toEqual({ sizeBytes: 4, contentType: 'application/x-odd', etag: object.etag });
    await storage.put(oddKey, 'Grüße', 'text/plain; charset=utf-8');
    const after = await storage.get(oddKey);
    expect(text(after.body)).toBe('Grüße');
    expect(after.etag).not.toBe(object.etag);
  });

  test('that are missing are distinguished from other failures', async () => {
    await expect(storage.get('missing/a')).rejects.toBeInstanceOf(ObjectMissingError);
    expect(await storage.head('missing/a')).toBeNull();
    const elsewhere = createStorage({ ...settings, bucket: `${bucket}-none` });
    await expect(elsewhere.get('missing/a')).rejects.toBeInstanceOf(StorageUnavailableError);
    await expect(elsewhere.head('missing/a')).rejects.toBeInstanceOf(StorageUnavailableError);
    await expect(elsewhere.check()).rejects.toThrow();
    elsewhere.close();
    const stranger = createStorage({ ...settings, secretAccessKey: 'wrong' });
    const expected = { name: 'StorageUnavailableError', reason: 'refused' };
    await expect(stranger.get(oddKey)).rejects.toMatchObject(expected);
    await expect(stranger.head(oddKey)).rejects.toMatchObject(expected);
    stranger.close();
  });

  test('larger than the limit are not read', async () => {
    await storage.put('limit/a', 'x'.repeat(1000), 'text/plain');
    await expect(storage.get('limit/a', { maxBytes: 999 })).rejects.toBeInstanceOf(ObjectTooLargeError);
    expect((await storage.get('limit/a', { maxBytes: 1000 })).body).toHaveLength(1000);
  });

  test('are copied only while they have the ETag', async () => {
    await storage.put(oddKey, 'first', 'text/x-first');
    const etag = (await storage.head(oddKey))?.etag ?? '';
    expect(await storage.copyIfMatch(oddKey, 'copies/Ä 1', etag)).toBe('copied');
    const copy = await storage.get('copies/Ä 1');
    expect([text(copy.body), copy.contentType]).toEqual(['first', 'text/x-first']);

    await storage.put(oddKey, 'second', 'text/plain');
    expect(await storage.copyIfMatch(oddKey, 'copies/Ä 1', etag)).toBe('changed');
    expect(text((await storage.get('copies/Ä 1')).body)).toBe('first');
    expect(await storage.copyIfMatch('missing/a', 'copies/Ä 2', etag)).toBe('missing');
    expect(await storage.head('copies/Ä 2')).toBeNull();
  });

  test('are listed and deleted by prefix, without those of similar prefixes', async () => {
    for (const key of ['purge/1/a', 'purge/1/ä b&c', 'purge/1/deep/c', 'purge/10/a']) {
      await storage.put(key, key, 'text/plain');
    }
    const listed: string[] = [];
    for await (const { key, sizeBytes, modifiedAt } of storage.list('purge/')) {
      listed.push(key);
      expect(sizeBytes).toBe(Buffer.byteLength(key));
      expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(60_000);
    }
    expect(listed).toEqual(['purge/1/a', 'purge/1/deep/c', 'purge/1/ä b&c', 'purge/10/a']);
    expect(await storage.deletePrefix('purge/1/')).toBe(3);
    expect(await storage.deletePrefix('purge/1/')).toBe(0);
    expect(await storage.head('purge/10/a')).not.toBeNull();
    await storage.deleteKeys(['purge/10/a', 'purge/10/missing']);
    expect(await storage.head('purge/10/a')).toBeNull();
  });

  test('are deleted beyond one page of 1,000', async () => {
    const keys = Array.from({ length: 1005 }, (_, index) => `pages/${String(index).padStart(4, '0')}`);
    for (let start = 0; start < keys.length; start += 50) {
      await Promise.all(keys.slice(start, start + 50).map((key) => storage.put(key, '', 'text/plain')));
    }
    expect(await storage.deletePrefix('pages/')).toBe(1005);
    expect(await storage.deletePrefix('pages/')).toBe(0);
  });

  test.each(['', '/', 'sources/1', '//'])('are not deleted by the prefix "%s"', async (prefix) => {
    await expect(storage.deletePrefix(prefix)).rejects.toThrow(TypeError);
  });
});

describe('presigned uploads', () => {
  const upload = { key: oddKey, contentType: 'text/plain', sizeBytes: 5, expiresSeconds: 60 };
  const send = async (url: string, body: string | null, contentType: string, method = 'PUT') => {
    const response = await fetch(url, { method, body, headers: { 'content-type': contentType } });
    await response.arrayBuffer();
    return response.status;
  };

  test('accept only the signed length, type, key and method', async () => {
    await storage.deleteKeys([oddKey]);
    const url = await storage.presignUpload(upload);
    expect(await send(url, 'sixsix', 'text/plain')).toBe(403);
    expect(await send(url, 'four', 'text/plain')).toBe(403);
    expect(await send(url, 'hello', 'text/html')).toBe(403);
    expect(await send(url.replace('/odd/', '/even/'), 'hello', 'text/plain')).toBe(403);
    expect(await send(url, null, 'text/plain', 'DELETE')).toBe(403);
    expect(await send(url, null, 'text/plain', 'GET')).toBe(403);
    expect(await storage.head(oddKey)).toBeNull();
    expect(await send(url, 'hello', 'text/plain')).toBe(200);
    const object = await storage.get(oddKey);
    expect([text(object.body), object.contentType]).toEqual(['hello', 'text/plain']);
  });

  test('expire after expiresSeconds', async () => {
    const url = await storage.presignUpload({ ...upload, expiresSeconds: 1 });
    await until('the grant has ended', async () => (await send(url, 'hello', 'text/plain')) === 403);
  });

  test('are signed for the public endpoint without a request to the storage', async () => {
    const outside = createStorage({
      ...settings,
      endpoint: 'http://127.0.0.1:1',
      publicEndpoint: 'https://files.example.com',
    });
    const url = new URL(await outside.presignUpload(upload));
    expect(url.origin).toBe('https://files.example.com');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
    // A checksum in the URL would be that of an empty body.
    expect([...url.searchParams.keys()].filter((name) => name.includes('checksum'))).toEqual([]);
    expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
    outside.close();
  });

  test('are allowed to browsers of any origin (CORS)', async () => {
    const url = await storage.presignUpload(upload);
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/app\.example\.com)$/);
  });
});

describe('presigned downloads', () => {
  test('are attachments with the given name, and 403 without a signature', async () => {
    await storage.put('downloads/a', 'content', 'text/html');
    const filename = 'Übersicht "neu"; (1)*.html';
    const url = await storage.presignDownload({ key: 'downloads/a', filename, expiresSeconds: 60 });
    const response = await fetch(url);
    expect(await response.text()).toBe('content');
    expect(response.headers.get('content-disposition')).toBe(
      String.raw`attachment; filename="?bersicht \"neu\"; (1)*.html"; ` +
        `filename*=UTF-8''%C3%9Cbersicht%20%22neu%22%3B%20%281%29%2A.html`,
    );
    const unsigned = await fetch(url.split('?')[0] ?? '');
    expect(unsigned.status).toBe(403);
  });

  test.each([
    ['report.pdf', 'attachment; filename=report.pdf'],
    ['x\r\nSet-Cookie: a', `attachment; filename="x??Set-Cookie: a"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20a`],
    ['\ud800', `attachment; filename="?"; filename*=UTF-8''%EF%BF%BD`],
  ])('name the file %j safely', async (filename, expected) => {
    const url = await storage.presignDownload({ key: 'downloads/a', filename, expiresSeconds: 60 });
    expect(new URL(url).searchParams.get('response-content-disposition')).toBe(expected);
  });
});

describe('the bucket', () => {
  test('is created once by concurrent calls, and then passes the check', async () => {
    const fresh = createStorage({ ...settings, bucket: `${bucket}-fresh` });
    await expect(fresh.check()).rejects.toThrow();
    await Promise.all([fresh.ensureBucket(), fresh.ensureBucket()]);
    await fresh.ensureBucket();
    await fresh.check();
    fresh.close();
  });
});

describe('a storage that is unreachable', () => {
  test('is StorageUnavailableError for check, get and put within 5 s in all', async () => {
    const away = createStorage({ ...settings, endpoint: `http://127.0.0.1:${await freePort()}` });
    const started = performance.now();
    await expect(away.check()).rejects.toBeInstanceOf(StorageUnavailableError);
    await expect(away.get('a')).rejects.toBeInstanceOf(StorageUnavailableError);
    await expect(away.put('a', 'b', 'text/plain')).rejects.toBeInstanceOf(StorageUnavailableError);
    expect(performance.now() - started).toBeLessThan(5000);
    away.close();
  });

  test('because it is silent fails the check within 4 s, and a signal ends calls', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => {})));
    const hung = createStorage({ ...settings, endpoint: `http://127.0.0.1:${await listen(silent)}` });
    const started = performance.now();
    await expect(hung.check()).rejects.toBeInstanceOf(StorageUnavailableError);
    expect(performance.now() - started).toBeLessThan(4000);

    const controller = new AbortController();
    const reason = new Error('canceled');
    const call = hung.get('a', { signal: controller.signal });
    await until('the call has connected', async () => sockets.length > 1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(hung.put('a', 'b', 'text/plain', { signal: controller.signal })).rejects.toBe(reason);
    hung.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test('because it stalls within a body lets a signal end the call', async () => {
    const sockets: Socket[] = [];
    const started = Promise.withResolvers<void>();
    const stalling = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.once('data', () => {
        // More than the operating system buffers: once it is sent, the client has read the headers.
        const part = Buffer.alloc(30_000_000);
        socket.write(`HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: ${part.length + 1}\r\n\r\n`);
        socket.write(part, () => started.resolve());
      });
    });
    const stalled = createStorage({ ...settings, endpoint: `http://127.0.0.1:${await listen(stalling)}` });
    const controller = new AbortController();
    const reason = new Error('canceled');
    const call = stalled.get('a', { signal: controller.signal });
    await started.promise;
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await until('the connections are closed', async () =>
      sockets.every((socket) => socket.closed || socket.readableEnded || socket.destroyed),
    );
    stalled.close();
    stalling.close();
  });

  test('because it responds 503 is StorageUnavailableError', async () => {
    const overloaded = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.end('HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'));
    });
    const unavailable = createStorage({ ...settings, endpoint: `http://127.0.0.1:${await listen(overloaded)}` });
    await expect(unavailable.head('a')).rejects.toBeInstanceOf(StorageUnavailableError);
    unavailable.close();
    overloaded.close();
  });
});
