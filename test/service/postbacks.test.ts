/** Postbacks: signed, retried on their schedule, and listed with every attempt. */
import { Webhook } from 'standardwebhooks';
import {
  deliveries,
  newUser,
  received,
  release,
  script,
  send,
  settledDeliveries,
  sitePath,
} from '../support/client.ts';
import type { ReceivedRequest, SiteResponse } from '../support/site.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const { secret } = (await user.call('GET', '/v1/postback-secret')).body.data;

/** Creates a CONTENT source whose receiver sends these responses. */
async function sourceWith(responses: SiteResponse[]) {
  const path = sitePath('receiver');
  const { id } = await user.content('# Words\n\nSome words.', { postback_url: await script(path, responses) });
  return { id, path };
}

const reprocess = (id: string) => user.call('POST', `/v1/sources/${id}/reprocess`);
const gap = (requests: ReceivedRequest[], index: number) =>
  (requests[index + 1]?.at ?? 0) - (requests[index]?.at ?? Number.MAX_SAFE_INTEGER);

describe('a postback', () => {
  test.concurrent("is a POST signed with the owner's secret, with the specified fields", async () => {
    const path = sitePath('receiver');
    const postbackUrl = await script(path, [{ status: 200, body: 'Thank you.' }]);
    const { id } = await user.create({
      type: 'CONTENT',
      initial_data: { data: '# Words\n\nSome words.' },
      instructions: { postback_url: postbackUrl },
      metadata: { ticket: 7, tested: true },
      externalId: path,
    });
    const [delivery] = await settledDeliveries(user, id);
    const [request, ...others] = await received(path);
    expect(others).toEqual([]);
    expect(request).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    const { body = '', headers = {} } = request ?? {};
    const webhook = new Webhook(secret);
    expect(() => webhook.verify(body, headers)).not.toThrow();
    expect(() => webhook.verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(body, headers)).toThrow();

    expect(headers['webhook-id']).toBe(delivery?.id);
    expect(Buffer.byteLength(body)).toBeLessThan(20_000);
    expect(JSON.parse(body)).toEqual({
      type: 'source.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        id,
        spaceId: user.spaceId,
        type: 'CONTENT',
        name: 'Words',
        status: 'COMPLETED',
        generation: 1,
        error: null,
        metadata: { ticket: 7, tested: true },
        externalId: path,
        links: {
          source: `${user.apiUrl}/v1/sources/${id}`,
          content: `${user.apiUrl}/v1/sources/${id}/content`,
          artifacts: `${user.apiUrl}/v1/sources/${id}/artifacts`,
        },
      },
    });
    expect(delivery).toMatchObject({
      generation: 1,
      url: postbackUrl,
      state: 'delivered',
      reason: null,
      nextAttemptAt: null,
      attempts: [{ statusCode: 200, response: 'Thank you.', error: null, durationMs: expect.any(Number) }],
    });
    expect((await user.get(id)).postback).toEqual({
      id: delivery?.id,
      state: 'delivered',
      attempts: 1,
      lastStatusCode: 200,
      nextAttemptAt: null,
    });
    for (const link of Object.values<string>(JSON.parse(body).data.links)) {
      expect(await send(link, 'GET', { key: user.key })).toMatchObject({ status: 200 });
    }
  });

  test.concurrent('is smaller than 20 kB, whatever names, metadata and URLs are in it', async () => {
    const path = sitePath('receiver');
    const location = `http://${'a'.repeat(253)}:65535/${'b'.repeat(10_000)}`;
    // 4 kB as JSON; PostgreSQL's numeric would write each number with 300 digits.
    const metadata = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`k${index}`, 1e300]));
    const { id } = await user.create({
      type: 'URI',
      initial_data: { data: await script(sitePath('elsewhere'), [{ status: 302, headers: { location } }]) },
      instructions: { postback_url: await script(path, [{ status: 200 }]) },
      name: '🦊'.repeat(200),
      externalId: '\u0001'.repeat(255),
      metadata: { ...metadata, tenth: 0.1, tiny: 5e-324, whole: 2 ** 53, yes: true, text: '"\n\u0002' },
    });
    await settledDeliveries(user, id, 1, 25_000);
    const [request] = await received(path);
    expect(Buffer.byteLength(request?.body ?? '')).toBeLessThan(20_000);
    const { data } = JSON.parse(request?.body ?? '');
    expect(data.error).toMatchObject({ code: 'fetch_dns' });
    expect(data.metadata).toEqual((await user.get(id)).metadata);
    expect(data.metadata).toMatchObject({ k0: 1e300, tenth: 0.1, tiny: 5e-324, whole: 2 ** 53, text: '"\n\u0002' });
  });

  test.concurrent('of a failure has the error', async () => {
    const path = sitePath('receiver');
    const { id } = await user.create({
      type: 'URI',
      initial_data: { data: await script(sitePath('missing'), [{ status: 404 }]) },
      instructions: { postback_url: await script(path, [{ status: 200 }]) },
    });
    await settledDeliveries(user, id);
    const { error } = await user.get(id);
    expect(error).toMatchObject({ code: 'fetch_http_status' });
    expect((await received(path)).map(({ body }) => JSON.parse(body))).toMatchObject([
      { type: 'source.failed', data: { status: 'FAILED', error } },
    ]);
  });

  test.concurrent('is not sent without a postback_url', async () => {
    const { id } = await user.content('Some words.');
    expect(await user.reach(id, 'COMPLETED')).toMatchObject({ postback: null });
    expect(await deliveries(user, id)).toEqual([]);
  });

  test.concurrent('is sent for each generation that ends, each with another id', async () => {
    const { id, path } = await sourceWith([{ status: 200 }]);
    await settledDeliveries(user, id);
    await reprocess(id);
    await settledDeliveries(user, id, 2);
    const requests = await received(path);
    expect(requests.map(({ body }) => JSON.parse(body).data.generation)).toEqual([1, 2]);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });
});

describe('a receiver that', () => {
  test.concurrent('fails twice gets three attempts with one id, each newly signed and listed', async () => {
    const { id, path } = await sourceWith([
      { status: 500, body: 'x'.repeat(3_000) },
      { status: 404, body: 'Not yet.' },
      { status: 202, body: 'Now.' },
    ]);
    const [delivery] = await settledDeliveries(user, id);
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempts: [
        { statusCode: 500, response: 'x'.repeat(1_024), error: null },
        { statusCode: 404, response: 'Not yet.' },
        { statusCode: 202, response: 'Now.' },
      ],
    });
    const requests = await received(path);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    for (const { body, headers } of requests) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    // The schedule of the tests: immediately, then after 0.5 s, 1 s and 1 s, each up to 10 % longer.
    expect(gap(requests, 0)).toBeGreaterThanOrEqual(490);
    expect(gap(requests, 1)).toBeGreaterThanOrEqual(990);
    const ats = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? [];
    expect(ats).toEqual(ats.toSorted((one, other) => one - other));
  });

  test.concurrent('always fails gets the 4 attempts of the schedule, then the postback is failed', async () => {
    const { id, path } = await sourceWith([{ status: 503, body: 'No.' }]);
    await until('it waits for its next attempt', async () => {
      const { postback } = await user.get(id);
      return postback?.state === 'pending' && postback.attempts > 0 && postback.nextAttemptAt !== null;
    });
    const [delivery] = await settledDeliveries(user, id);
    expect(delivery).toMatchObject({ state: 'failed', nextAttemptAt: null, reason: expect.stringContaining('4') });
    expect(delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([503, 503, 503, 503]);
    expect(await received(path)).toHaveLength(4);
    // The outcome of a postback does not change the source's status.
    expect(await user.get(id)).toMatchObject({
      status: 'COMPLETED',
      postback: { state: 'failed', lastStatusCode: 503 },
    });
  });

  test.concurrent('responds 410 gets no later postbacks of the source', async () => {
    const { id, path } = await sourceWith([{ status: 410 }, { status: 200 }]);
    expect(await settledDeliveries(user, id)).toMatchObject([{ state: 'disabled', attempts: [{ statusCode: 410 }] }]);
    await reprocess(id);
    await user.reach(id, 'COMPLETED');
    expect(await settledDeliveries(user, id, 2)).toMatchObject([
      { generation: 2, state: 'disabled', attempts: [], reason: expect.stringContaining('410') },
      { generation: 1, state: 'disabled' },
    ]);
    expect(await received(path)).toHaveLength(1);
    expect((await user.get(id)).postback).toMatchObject({ state: 'disabled', attempts: 0 });
  });

  test.concurrent('responds 410 gets no pending postbacks of the source either', async () => {
    const { id, path } = await sourceWith([{ status: 503, headers: { 'retry-after': '3600' } }, { status: 410 }]);
    await until('the first attempt was made', async () => (await user.get(id)).postback?.attempts === 1);
    await reprocess(id);
    expect(await settledDeliveries(user, id, 2)).toMatchObject([
      { generation: 2, state: 'disabled', attempts: [{ statusCode: 410 }] },
      { generation: 1, state: 'disabled', nextAttemptAt: null, attempts: [{ statusCode: 503 }] },
    ]);
    expect(await received(path)).toHaveLength(2);
  });

  test.concurrent('responds 410 still gets postbacks of other sources', async () => {
    const path = sitePath('receiver');
    const url = await script(path, [{ status: 410 }, { status: 200 }]);
    const first = await user.content('One.', { postback_url: url });
    await settledDeliveries(user, first.id);
    const second = await user.content('Two.', { postback_url: url });
    expect(await settledDeliveries(user, second.id)).toMatchObject([{ state: 'delivered' }]);
  });

  test.concurrent('redirects has a failed attempt, and the redirect is not followed', async () => {
    const elsewhere = sitePath('elsewhere');
    const location = await script(elsewhere, [{ status: 200 }]);
    const { id } = await sourceWith([{ status: 307, headers: { location } }, { status: 200 }]);
    expect(await settledDeliveries(user, id)).toMatchObject([
      { state: 'delivered', attempts: [{ statusCode: 307 }, { statusCode: 200 }] },
    ]);
    expect(await received(elsewhere)).toEqual([]);
  });

  test.concurrent('sends Retry-After in seconds gets the next attempt after that time', async () => {
    const { id, path } = await sourceWith([{ status: 429, headers: { 'retry-after': '2' } }, { status: 200 }]);
    const [delivery] = await settledDeliveries(user, id);
    expect(delivery?.attempts).toHaveLength(2);
    expect(gap(await received(path), 0)).toBeGreaterThanOrEqual(1_900);
  });

  test.concurrent('sends Retry-After as a date gets the next attempt after that date', async () => {
    // Later than any delay of the schedule, however late the first attempt is.
    const date = new Date(Date.now() + 6_000).toUTCString();
    const { id, path } = await sourceWith([{ status: 429, headers: { 'retry-after': date } }, { status: 200 }]);
    const [delivery] = await settledDeliveries(user, id);
    expect(delivery?.attempts).toHaveLength(2);
    expect((await received(path))[1]?.at).toBeGreaterThanOrEqual(Date.parse(date));
  });

  test.concurrent('is slow does not delay a new generation', async () => {
    const { id, path } = await sourceWith([{ held: true }, { status: 200 }]);
    await until('the first attempt is in progress', async () => (await received(path)).length === 1);
    await reprocess(id);
    const [, first] = await until('the second is delivered', async () => {
      const list = await deliveries(user, id);
      return list.length === 2 && list[0]?.state === 'delivered' && list;
    });
    expect(first).toMatchObject({ generation: 1, state: 'pending' });
    await release(path);
    await settledDeliveries(user, id, 2);
  });
});
