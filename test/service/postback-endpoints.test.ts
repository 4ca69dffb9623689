/** Endpoints of postbacks: redelivery, rotation of the secret, test postback. */

import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { postbackSchema } from '../../contract/postback.ts';
import { newUser, received, release, script, settledDeliveries, sitePath } from '../support/client.ts';
import type { SiteResponse } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

async function sourceWith(user: Awaited<ReturnType<typeof newUser>>, responses: SiteResponse[]) {
  const path = sitePath('receiver');
  const { id } = await user.content('Some words.', { postback_url: await script(path, responses) });
  return { id, path };
}

describe('a redelivery', () => {
  const users = newUser();
  const redeliver = async (id: string, postbackId = '') =>
    (await users).call('POST', `/v1/sources/${id}/postbacks/${postbackId}/redeliver`);

  test.concurrent('sends the same body with the same id again, and lists every attempt', async () => {
    const user = await users;
    const { id, path } = await sourceWith(user, [{ status: 200 }, { status: 500 }, { status: 201 }]);
    const [first] = await settledDeliveries(user, id);
    const { revision } = await user.get(id);
    const response = await redeliver(id, first?.id);
    expect(response).toMatchObject({
      status: 202,
      body: { data: { id: first?.id, state: 'pending', reason: null, attempts: [{ statusCode: 200 }] } },
    });
    expect((await user.get(id)).revision).toBeGreaterThan(revision);
    const [again] = await settledDeliveries(user, id);
    expect(again).toMatchObject({ state: 'delivered', generation: 1 });
    expect(again?.attempts.map(({ statusCode }) => statusCode)).toEqual([200, 500, 201]);
    // Attempts of this round.
    expect((await user.get(id)).postback).toMatchObject({ state: 'delivered', attempts: 2, lastStatusCode: 201 });
    const requests = await received(path);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([first?.id]));
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  });

  test.concurrent('is 409 while the postback is pending and 202 once it has failed', async () => {
    const user = await users;
    const { id, path } = await sourceWith(user, [{ status: 500 }]);
    await until('the first attempt was made', async () => (await user.get(id)).postback?.attempts === 1);
    const pending = (await user.get(id)).postback;
    const rejected = await redeliver(id, pending?.id);
    expect(rejected).toMatchObject({ status: 409, body: { details: [{ field: 'state' }] } });
    await settledDeliveries(user, id);
    await script(path, [{ status: 200 }]);
    expect((await redeliver(id, pending?.id)).status).toBe(202);
    expect(await settledDeliveries(user, id)).toMatchObject([{ state: 'delivered', attempts: { length: 5 } }]);
  });

  test.concurrent('after a 410 is sent, but later postbacks stay disabled', async () => {
    const user = await users;
    const { id } = await sourceWith(user, [{ status: 410 }, { status: 200 }]);
    const [first] = await settledDeliveries(user, id);
    expect(first?.state).toBe('disabled');
    expect((await redeliver(id, first?.id)).status).toBe(202);
    expect(await settledDeliveries(user, id)).toMatchObject([{ state: 'delivered', reason: null }]);
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    expect(await settledDeliveries(user, id, 2)).toMatchObject([{ state: 'disabled', attempts: [] }, {}]);
  });

  test.concurrent('requested 10 times concurrently is one', async () => {
    const user = await users;
    // The receiver responds to the redelivery only after all ten responses, so that it is pending until then.
    const { id, path } = await sourceWith(user, [{ status: 200 }, { status: 200, held: true }]);
    const [first] = await settledDeliveries(user, id);
    const responses = await Promise.all(Array.from({ length: 10 }, () => redeliver(id, first?.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 9 }, () => 409)]);
    await until('the receiver is requested again', async () => (await received(path)).length === 2);
    await release(path);
    await settledDeliveries(user, id);
    expect(await received(path)).toHaveLength(2);
  });

  test.concurrent('is 404 for an id that is not of a postback of this source', async () => {
    const user = await users;
    const [{ id }, one] = await Promise.all([user.content('Words.'), sourceWith(user, [{ status: 200 }])]);
    const [delivery] = await settledDeliveries(user, one.id);
    for (const [source, postback] of [
      [id, delivery?.id],
      [one.id, 'x'],
      [one.id, id],
    ]) {
      expect(await redeliver(source ?? '', postback)).toMatchObject({
        status: 404,
        body: { message: 'There is no such postback.' },
      });
    }
  });
});

test('after a rotation both secrets sign for 24 h, and a second rotation removes the oldest', async () => {
  const user = await newUser();
  const read = async () => (await user.call('GET', '/v1/postback-secret')).body.data;
  const rotate = (headers?: Record<string, string>) =>
    user.call('POST', '/v1/postback-secret/rotate', undefined, headers);
  const before = await read();
  expect(before).toMatchObject({ previousSecret: null, previousExpiresAt: null });
  const requestedAt = Date.now();
  const rotated = await rotate({ 'idempotency-key': 'rotate-1' });
  const now = rotated.body.data;
  expect(rotated.status).toBe(200);
  expect(now.previousSecret).toBe(before.secret);
  expect(now.secret).not.toBe(before.secret);
  const hours = (Date.parse(now.previousExpiresAt) - requestedAt) / 3_600_000;
  expect(hours).toBeGreaterThan(23.99);
  expect(hours).toBeLessThan(24.01);
  expect(await read()).toEqual(now);

  const { id, path } = await sourceWith(user, [{ status: 200 }]);
  await settledDeliveries(user, id);
  const [request] = await received(path);
  expect(request?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of [before.secret, now.secret]) {
    expect(() => new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {})).not.toThrow();
  }

  const second = (await rotate()).body.data;
  expect(second.previousSecret).toBe(now.secret);
  const replayed = await rotate({ 'idempotency-key': 'rotate-1' });
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  expect(replayed.body.data).toEqual(second);
  await user.call('POST', `/v1/sources/${id}/reprocess`);
  await settledDeliveries(user, id, 2);
  const later = (await received(path))[1];
  expect(() => new Webhook(now.secret).verify(later?.body ?? '', later?.headers ?? {})).not.toThrow();
  expect(() => new Webhook(before.secret).verify(later?.body ?? '', later?.headers ?? {})).toThrow();

  const reader = (await user.call('POST', '/v1/api-keys', { name: 'R', scopes: ['read'] })).body.data.key;
  const authorization = { authorization: `Bearer ${reader}` };
  expect((await rotate(authorization)).status).toBe(403);
  expect((await user.call('POST', '/v1/postbacks/test', { url: 'https://example.com' }, authorization)).status).toBe(
    403,
  );
});

test('24 h after a rotation the old secret signs no postbacks and is not shown', async () => {
  const user = await newUser();
  const old = (await user.call('GET', '/v1/postback-secret')).body.data.secret;
  const { secret } = (await user.call('POST', '/v1/postback-secret/rotate')).body.data;
  const client = new Client({ connectionString: stack().settings.DATABASE_URL });
  await client.connect();
  await client.query(
    "update users set previous_postback_secret_expires_at = previous_postback_secret_expires_at - interval '24 hours' where id = $1",
    [user.userId],
  );
  await client.end();
  expect((await user.call('GET', '/v1/postback-secret')).body.data).toEqual({
    secret,
    previousSecret: null,
    previousExpiresAt: null,
  });
  const { id, path } = await sourceWith(user, [{ status: 200 }]);
  await settledDeliveries(user, id);
  await user.call('POST', '/v1/postbacks/test', { url: `${stack().siteUrl}${path}` });
  const requests = await received(path);
  expect(requests).toHaveLength(2);
  for (const { body, headers } of requests) {
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(old).verify(body, headers)).toThrow();
  }
});

test('a test postback requested 10 times concurrently with one key is sent once', async () => {
  const user = await newUser();
  const path = sitePath('sample');
  const url = await script(path, [{ held: true }]);
  const send = () => user.call('POST', '/v1/postbacks/test', { url }, { 'idempotency-key': 'sample-at-once' });
  const all = Array.from({ length: 10 }, send);
  // Nine are 409 while the first still waits for its receiver.
  let conflicts = 0;
  for (const one of all) void one.then(({ status }) => (conflicts += Number(status === 409)));
  await until('nine are 409', async () => conflicts === 9);
  await release(path);
  const responses = await Promise.all(all);
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(responses.find(({ status }) => status === 409)?.headers.get('retry-after')).toBe('1');
  expect(await received(path)).toHaveLength(1);
  expect((await send()).headers.get('idempotent-replayed')).toBe('true');
});

test("a test postback is one signed POST, and the response has the receiver's status and body", async () => {
  const user = await newUser();
  const { secret } = (await user.call('GET', '/v1/postback-secret')).body.data;
  const send = (url: unknown, headers?: Record<string, string>) =>
    user.call('POST', '/v1/postbacks/test', { url }, headers);
  const path = sitePath('sample');
  const url = await script(path, [
    { status: 202, body: 'y'.repeat(2_000) },
    { status: 500, body: 'No.' },
    { status: 302 },
  ]);
  const key = { 'idempotency-key': 'sample-1' };
  const good = await send(url, key);
  expect(good).toMatchObject({
    status: 200,
    body: { data: { delivered: true, statusCode: 202, response: 'y'.repeat(1_024), error: null } },
  });
  expect((await send(url, key)).body).toEqual(good.body);
  expect((await send(url)).body.data).toMatchObject({
    delivered: false,
    statusCode: 500,
    response: 'No.',
    error: null,
  });
  expect((await send(url)).body.data).toMatchObject({ delivered: false, statusCode: 302 });
  const requests = await received(path);
  expect(requests).toHaveLength(3);
  for (const { body, headers } of requests) {
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(postbackSchema.parse(JSON.parse(body))).toMatchObject({
      type: 'source.completed',
      data: { metadata: { test: true } },
    });
  }
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  const unknown = await send('http://nowhere.invalid/');
  expect(unknown.body.data).toMatchObject({ delivered: false, statusCode: null, response: null });
  expect(unknown.body.data.error).toMatch(/^fetch_dns: /);
  const invalidUrls = {
    'http://127.0.0.1:1/': /private or reserved/,
    'ftp://a/': /http or https/,
    'http://u:p@a.b/': /user name/,
    x: /complete/,
  };
  for (const [bad, message] of Object.entries(invalidUrls)) {
    const response = await send(bad);
    expect(response).toMatchObject({
      status: 400,
      body: { details: [{ field: 'url', message: expect.stringMatching(message) }] },
    });
  }
});
