import { z } from 'zod';
import { uploadGrantSchema } from '../../contract/resources.ts';
import { newUser, send, type TestUser } from '../support/client.ts';

async function grant(user: TestUser, body: object = {}) {
  const answer = await user.call('POST', '/v1/upload/s3', {
    filename: 'a b.txt',
    contentType: 'text/plain',
    size: 5,
    ...body,
  });
  expect(answer.status).toBe(200);
  return uploadGrantSchema.strict().parse(answer.body);
}

async function put(url: string, body: string, contentType = 'text/plain'): Promise<number> {
  return (await fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body })).status;
}

test('a file is put at the grant and downloaded as an attachment from its public address', async () => {
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

test('another length or type than the granted one is refused by the storage', async () => {
  const user = await newUser();
  const { uploadUrl, publicUrl } = await grant(user);
  expect(await put(uploadUrl, 'Hello, world')).toBe(403);
  expect(await put(uploadUrl, 'Hi')).toBe(403);
  expect(await put(uploadUrl, 'Hello', 'text/html')).toBe(403);
  expect((await send(publicUrl, 'GET')).status).toBe(404);
  expect((await fetch(uploadUrl)).status).toBe(403);
});

test('the bucket itself is private', async () => {
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
  ['nothing that a key may hold', '???', /\/_$/],
])('a file name of %s gets a key that the storage takes', async (_, filename, key) => {
  const user = await newUser();
  const { uploadUrl, publicUrl, fileKey } = await grant(user, { filename });
  expect(fileKey).toMatch(key);
  expect(await put(uploadUrl, 'Hello')).toBe(200);
  expect((await send(publicUrl, 'GET')).status).toBe(302);
});

test('a source of the file is made once the file is there', async () => {
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
