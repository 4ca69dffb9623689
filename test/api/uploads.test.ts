import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { uploadGrantSchema } from '../../contract/resources.ts';
import { newUser, send, type TestUser, upload } from '../support/client.ts';
import { until } from '../support/until.ts';

let sharedUser: Promise<TestUser> | undefined;
/** A user for tests that do not need their own space. */
function shared(): Promise<TestUser> {
  sharedUser ??= newUser();
  return sharedUser;
}

async function grant(user: TestUser, body: object = {}) {
  const response = await user.call('POST', '/v1/upload/s3', {
    filename: 'a b.txt',
    contentType: 'text/plain',
    size: 5,
    ...body,
  });
  expect(response.status).toBe(200);
  return uploadGrantSchema.strict().parse(response.body);
}

async function put(url: string, body: string, contentType = 'text/plain'): Promise<number> {
  return (await fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body })).status;
}

test('a file is uploaded with a grant and downloaded as an attachment from its public URL', async () => {
  const user = await newUser();
  const { uploadUrl, publicUrl, fileKey } = await grant(user, { filename: 'Übersicht & 1.txt' });
  expect(fileKey).toMatch(/^uploads\/[0-9a-f]{32}\/Übersicht_1\.txt$/);
  expect((await send(publicUrl, 'GET')).status).toBe(404);
  expect(await put(uploadUrl, 'Hello')).toBe(200);

  const redirect = await send(publicUrl, 'GET');
  expect(redirect.status).toBe(302);
  expect(redirect.headers.get('cache-control')).toBe('no-store');
  const file = await fetch(redirect.headers.get('location') ?? '');
  expect(await file.text()).toBe('Hello');
  expect(file.headers.get('content-disposition')).toMatch(
    /^attachment; .*filename\*=UTF-8''%C3%9Cbersicht%20%26%201\.txt$/,
  );
  expect(new URL(publicUrl).origin).toBe(user.apiUrl);
});

test('the storage rejects a length or type other than granted with 403', async () => {
  const user = await newUser();
  const { uploadUrl, publicUrl } = await grant(user);
  expect(await put(uploadUrl, 'Hello, world')).toBe(403);
  expect(await put(uploadUrl, 'Hi')).toBe(403);
  expect(await put(uploadUrl, 'Hello', 'text/html')).toBe(403);
  expect((await send(publicUrl, 'GET')).status).toBe(404);
  expect((await fetch(uploadUrl)).status).toBe(403);
});

test('an unsigned GET at the bucket is 403', async () => {
  const user = await newUser();
  const { uploadUrl } = await grant(user);
  await put(uploadUrl, 'Hello');
  const unsigned = new URL(uploadUrl);
  unsigned.search = '';
  expect((await fetch(unsigned)).status).toBe(403);
});

test.each([
  ['many letters', `${'ä'.repeat(251)}.txt`, /\/ä{98}\.txt$/],
  ['letters of four bytes', '𝐀'.repeat(255), /\/(𝐀){50}$/u],
  ['no character allowed in a key', '???', /\/_$/],
])('a file name of %s gets a key that the storage accepts', async (_, filename, key) => {
  const user = await newUser();
  const { uploadUrl, publicUrl, fileKey } = await grant(user, { filename });
  expect(fileKey).toMatch(key);
  expect(await put(uploadUrl, 'Hello')).toBe(200);
  expect((await send(publicUrl, 'GET')).status).toBe(302);
});

test('a source of the file is 400 before the upload and 201 after it', async () => {
  const user = await newUser();
  const { uploadUrl, fileKey } = await grant(user);
  const body = { type: 'FILE', initial_data: { data: fileKey }, instructions: {} };
  const create = () => user.call('POST', `/v1/spaces/${user.spaceId}/sources`, body);
  expect((await create()).status).toBe(400);
  await put(uploadUrl, 'Hello');
  const made = await create();
  expect(made.status).toBe(201);
  await user.reach(made.body.data.id, 'COMPLETED');
  z.string().parse(await user.markdown(made.body.data.id));
});

test('a grant expires after 15 minutes and signs length, type and key', async () => {
  const user = await newUser();
  const { uploadUrl, publicUrl, fileKey } = await grant(user, { filename: 'a.txt' });
  const url = new URL(uploadUrl);
  expect(url.searchParams.get('X-Amz-Expires')).toBe('900');
  expect(url.searchParams.get('X-Amz-SignedHeaders')?.split(';')).toEqual(
    expect.arrayContaining(['content-length', 'content-type', 'host']),
  );
  expect(decodeURIComponent(url.pathname).endsWith(`/${fileKey}`)).toBe(true);
  expect(publicUrl).toBe(`${user.apiUrl}/files/${fileKey}`);
  const elsewhere = new URL(uploadUrl);
  elsewhere.pathname = elsewhere.pathname.replace('a.txt', 'b.txt');
  expect(await put(elsewhere.href, 'Hello')).toBe(403);
});

test('a replayed grant has the same key and a new signature', async () => {
  const user = await newUser();
  const headers = { 'idempotency-key': randomUUID() };
  const body = { filename: 'a.txt', contentType: 'text/plain', size: 5 };
  const requestGrant = () => user.call('POST', '/v1/upload/s3', body, headers);
  const first = await requestGrant();
  const again = await requestGrant();
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(again.body).toEqual({ ...first.body, uploadUrl: expect.stringContaining('X-Amz-Signature=') });
  expect(await put(again.body.uploadUrl, 'Hello')).toBe(200);
  expect((await send(first.body.publicUrl, 'GET')).status).toBe(302);
});

test.each([
  ['filename', 'a/b.txt'],
  ['filename', 'a\\b.txt'],
  ['filename', '..'],
  ['filename', 'a\nb'],
  ['filename', ''],
  ['filename', 'a'.repeat(256)],
  ['contentType', 'text'],
  ['contentType', 'text/plain\r\nX-Other: 1'],
  ['contentType', `a/${'b'.repeat(254)}`],
  // Ambiguous quoted strings, which make a backtracking parser take exponential time.
  ['contentType', `a/b${';a=""'.repeat(49)};`],
  ['size', 0],
  ['size', 1.5],
  ['size', 100 * 1024 * 1024 + 1],
])('%s %j is 400 and names the field', async (field, value) => {
  const user = await shared();
  const body = { filename: 'a.txt', contentType: 'text/plain', size: 5, [field]: value };
  const response = await user.call('POST', '/v1/upload/s3', body);
  expect([response.status, response.body.details[0].field]).toEqual([400, field]);
});

test.each(['application/pdf', 'text/plain; charset=utf-8', 'text/plain;a="b \\" c";d=e', 'image/svg+xml'])(
  'a grant for the type %s accepts an upload',
  async (contentType) => {
    const { uploadUrl } = await grant(await shared(), { contentType });
    expect(await put(uploadUrl, 'Hello', contentType)).toBe(200);
  },
);

test('a FILE source shows its size in the response to its creation', async () => {
  const user = await shared();
  const fileKey = await upload(user, 'a.txt', 'text/plain', new TextEncoder().encode('Hello, file.'));
  expect(await user.create({ type: 'FILE', initial_data: { data: fileKey } })).toMatchObject({ sizeBytes: 12 });
});

describe('the public URL of a file that sources use', () => {
  const download = async (publicUrl: string) => {
    const response = await send(publicUrl, 'GET');
    if (response.status !== 302) return response.status;
    return (await fetch(response.headers.get('location') ?? '')).text();
  };
  async function claimed() {
    const user = await newUser();
    const { uploadUrl, publicUrl, fileKey } = await grant(user);
    expect(await put(uploadUrl, 'Hello')).toBe(200);
    const create = async () => {
      const { id } = await user.create({ type: 'FILE', initial_data: { data: fileKey } });
      await user.reach(id, 'COMPLETED');
      return id;
    };
    return { user, uploadUrl, publicUrl, create };
  }

  test("serves the source's copy after another upload, until a refresh claims the new file", async () => {
    const { user, uploadUrl, publicUrl, create } = await claimed();
    const id = await create();
    expect(await put(uploadUrl, 'World')).toBe(200);
    expect(await download(publicUrl)).toBe('Hello');
    await user.call('POST', `/v1/sources/${id}/refresh`);
    await until('the new file is claimed', async () => (await user.get(id)).resultGeneration === 2);
    expect(await download(publicUrl)).toBe('World');
    expect(await user.markdown(id)).toContain('World');
  });

  test('is 404 once the last of the sources is deleted, and serves the file again after a restore', async () => {
    const { user, publicUrl, create } = await claimed();
    const [one, two] = [await create(), await create()];
    expect((await user.call('DELETE', `/v1/sources/${one}`)).status).toBe(204);
    expect(await download(publicUrl)).toBe('Hello');
    expect((await user.call('DELETE', `/v1/sources/${two}`)).status).toBe(204);
    expect(await download(publicUrl)).toBe(404);
    expect((await user.call('POST', `/v1/sources/${one}/restore`)).status).toBe(200);
    expect(await download(publicUrl)).toBe('Hello');
  });

  test('is 404 once their space is deleted', async () => {
    const { user, publicUrl, create } = await claimed();
    await create();
    expect((await user.call('DELETE', `/v1/spaces/${user.spaceId}`)).status).toBe(204);
    expect(await download(publicUrl)).toBe(404);
  });
});

test('five concurrent creates from one upload all claim the file', async () => {
  const user = await shared();
  const fileKey = await upload(user, 'a.txt', 'text/plain', new TextEncoder().encode('Shared by all.'));
  const sources = await Promise.all(
    Array.from({ length: 5 }, () => user.create({ type: 'FILE', initial_data: { data: fileKey } })),
  );
  for (const { id } of sources) {
    await user.reach(id, 'COMPLETED');
    expect(await user.markdown(id)).toContain('Shared by all.');
  }
});
