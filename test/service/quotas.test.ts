/** Quotas of a plan: requests beyond them are 403 with the field, or work waits. */
import { countHostFetch } from '../../db/host-fetches.ts';
import { received, script, sitePath, type TestUser, upload } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { until } from '../support/until.ts';

const MAX_SOURCES = 4;
const MAX_BYTES = 10_000;
const MAX_RUNS = 2;
const MAX_FETCHES = 3;

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({
    settings: {
      QUOTA_SOURCES_FREE: String(MAX_SOURCES),
      QUOTA_STORED_BYTES_FREE: String(MAX_BYTES),
      QUOTA_OPEN_RUNS_PRO: String(MAX_RUNS),
      QUOTA_HOST_FETCHES_FREE: String(MAX_FETCHES),
      EXTRACTION_PROCESSES: '2',
    },
  });
  await service.startWorker();
}, 60_000);
afterAll(() => service?.stop());

const free = () => service.newUser({ plan: 'free' });
const usage = async (user: TestUser) => (await user.call('GET', '/v1/usage')).body.data;
const create = (user: TestUser, body: Record<string, unknown>, spaceId = user.spaceId) =>
  user.call('POST', `/v1/spaces/${spaceId}/sources`, { instructions: {}, ...body });
const content = (user: TestUser, data: string, spaceId?: string) =>
  create(user, { type: 'CONTENT', initial_data: { data } }, spaceId);
const quotaError = (field: string) => ({
  status: 403,
  body: { code: 403, details: [{ field, message: expect.any(String) }] },
});

test('of 12 concurrent creates 4 are accepted, the quota of sources; the others are 403', async () => {
  const user = await free();
  const responses = await Promise.all(Array.from({ length: 3 * MAX_SOURCES }, (_, n) => content(user, `Text ${n}.`)));
  const accepted = responses.filter(({ status }) => status === 201);
  expect(accepted).toHaveLength(MAX_SOURCES);
  for (const response of responses) if (response.status !== 201) expect(response).toMatchObject(quotaError('sources'));
  expect(await usage(user)).toMatchObject({ plan: 'free', sources: { used: MAX_SOURCES, limit: MAX_SOURCES } });

  // A deletion frees quota, and a restore needs quota.
  const [{ id }, { id: other }] = accepted.map(({ body }) => body.data);
  await user.call('DELETE', `/v1/sources/${id}`);
  expect((await content(user, 'Another one.')).status).toBe(201);
  expect(await user.call('POST', `/v1/sources/${id}/restore`)).toMatchObject(quotaError('sources'));
  expect((await user.call('GET', `/v1/sources/${id}`)).status).toBe(404);
  await user.call('DELETE', `/v1/sources/${other}`);
  const bulk = await user.call('POST', `/v1/spaces/${user.spaceId}/sources/actions`, {
    action: 'restore',
    ids: [id, other],
  });
  expect(bulk.body.data.map(({ ok }: { ok: boolean }) => ok).toSorted()).toEqual([false, true]);
  expect(bulk.body.data.find(({ ok }: { ok: boolean }) => !ok).error).toMatchObject(quotaError('sources').body);
  expect((await usage(user)).sources.used).toBe(MAX_SOURCES);
});

test('sources of a deleted space do not count, and its restore needs quota for them', async () => {
  const user = await free();
  const spaceId = (await user.call('POST', '/v1/spaces', { name: 'Another' })).body.data.id;
  for (let n = 0; n < MAX_SOURCES; n += 1) await content(user, `Text ${n}.`, spaceId);
  expect(await content(user, 'One more.')).toMatchObject(quotaError('sources'));
  await user.call('DELETE', `/v1/spaces/${spaceId}`);
  const { id } = (await content(user, 'One more.')).body.data;
  expect(await user.call('POST', `/v1/spaces/${spaceId}/restore`)).toMatchObject(quotaError('sources'));
  expect((await user.call('GET', `/v1/spaces/${spaceId}`)).status).toBe(404);
  await user.call('DELETE', `/v1/sources/${id}`);
  expect((await user.call('POST', `/v1/spaces/${spaceId}/restore`)).status).toBe(200);
  expect((await usage(user)).sources.used).toBe(MAX_SOURCES);
});

test('stored bytes count texts and results; a run may exceed the quota, later creates are 403', async () => {
  const user = await free();
  expect((await usage(user)).storedBytes).toEqual({ used: 0, limit: MAX_BYTES });
  const text = 'Ein Wörtchen. '.repeat(400);
  const { id } = (await content(user, text)).body.data;
  expect((await usage(user)).storedBytes.used).toBeGreaterThanOrEqual(Buffer.byteLength(text));
  await user.reach(id, 'COMPLETED');
  // Its Markdown and chunks exceed the quota.
  const { used } = (await usage(user)).storedBytes;
  expect(used).toBeGreaterThan(MAX_BYTES);
  expect(await content(user, 'a')).toMatchObject(quotaError('storedBytes'));
  expect(await create(user, { type: 'URI', initial_data: { data: 'https://example.com/' } })).toMatchObject(
    quotaError('storedBytes'),
  );
  const grant = { filename: 'a.txt', contentType: 'text/plain', size: 1 };
  expect(await user.call('POST', '/v1/upload/s3', grant)).toMatchObject(quotaError('storedBytes'));
  // A deleted source counts until it is purged.
  await user.call('DELETE', `/v1/sources/${id}`);
  expect((await usage(user)).storedBytes.used).toBe(used);
  expect(await user.call('POST', `/v1/sources/${id}/restore`)).toMatchObject(quotaError('storedBytes'));
  await user.call('DELETE', `/v1/spaces/${user.spaceId}`);
  expect(await user.call('POST', `/v1/spaces/${user.spaceId}/restore`)).toMatchObject(quotaError('storedBytes'));
});

test('new data of a source needs quota like a new source, another name does not', async () => {
  const user = await free();
  const { id } = (await content(user, 'a')).body.data;
  const patch = (body: object) => user.call('PATCH', `/v1/sources/${id}`, body);
  const text = 'b'.repeat(MAX_BYTES / 2);
  expect(await patch({ initial_data: { data: `${text}${text}b` } })).toMatchObject(quotaError('storedBytes'));
  await user.reach(id, 'COMPLETED');
  expect(await user.markdown(id)).toContain('a');
  expect((await patch({ initial_data: { data: text } })).status).toBe(200);
  await user.reach(id, 'COMPLETED');
  expect((await usage(user)).storedBytes.used).toBeGreaterThan(MAX_BYTES);
  expect((await patch({ name: 'Another' })).status).toBe(200);
});

test('an upload counts from its grant on, and the copy of its source too', async () => {
  const user = await free();
  const bytes = new TextEncoder().encode('Some words in a file. '.repeat(50));
  const fileKey = await upload(user, 'words.txt', 'text/plain', bytes);
  expect((await usage(user)).storedBytes.used).toBe(bytes.byteLength);
  const large = { filename: 'a.txt', contentType: 'text/plain', size: MAX_BYTES - bytes.byteLength + 1 };
  expect(await user.call('POST', '/v1/upload/s3', large)).toMatchObject(quotaError('storedBytes'));
  const { id } = (await create(user, { type: 'FILE', initial_data: { data: fileKey } })).body.data;
  await user.reach(id, 'COMPLETED');
  expect((await usage(user)).storedBytes.used).toBeGreaterThanOrEqual(2 * bytes.byteLength);
});

test('concurrent creates from one upload count their copies before these are made: two of four are 403', async () => {
  const user = await free();
  const fileKey = await upload(user, 'a.txt', 'text/plain', new TextEncoder().encode('a '.repeat(MAX_BYTES / 6)));
  const file = () => create(user, { type: 'FILE', initial_data: { data: fileKey } });
  const statuses = (await Promise.all([file(), file(), file(), file()])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 201, 403, 403]);
});

test('a promote beyond the quota is 403, and 201 after a deletion', async () => {
  const user = await free();
  const { id } = (await content(user, 'A list:\n\n```sh\nls\n```\n')).body.data;
  await user.reach(id, 'COMPLETED');
  const [artifact] = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data;
  const others = [];
  for (let n = 1; n < MAX_SOURCES; n += 1) others.push((await content(user, `Text ${n}.`)).body.data.id);
  const promote = () => user.call('PUT', `/v1/source-artifact/${artifact.id}/promote`);
  expect(await promote()).toMatchObject(quotaError('sources'));
  await user.call('DELETE', `/v1/sources/${others[0]}`);
  expect((await promote()).status).toBe(201);
  // A repeated promote needs no quota.
  expect((await promote()).status).toBe(200);
});

test('at most 2 runs of an owner are open, over all dispatchers, and the others wait in the outbox', async () => {
  const user = await service.newUser();
  await service.startDispatcher();
  const sources = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const data = await script(sitePath('slow'), [{ body: '<p>Some words.</p>', afterMs: 300 }]);
      return user.create({ type: 'URI', initial_data: { data } });
    }),
  );
  const counts: number[] = [];
  await until('all have ended', async () => {
    const { rows } = await service.database.pool.query(
      `select count(*) filter (where status in ('PENDING', 'PROCESSING') and not exists (
           select from outbox o where o.source_id = s.id and o.lease_token is null))::int as open,
         count(*) filter (where status not in ('COMPLETED', 'FAILED', 'CANCELED'))::int as left
       from sources s where owner_id = $1`,
      [user.userId],
    );
    counts.push(rows[0].open);
    return rows[0].left === 0;
  });
  expect(Math.max(...counts)).toBe(MAX_RUNS);
  expect((await usage(user)).openRuns).toEqual({ used: 0, limit: MAX_RUNS });
  for (const { id } of sources) expect(await user.get(id)).toMatchObject({ status: 'COMPLETED', generation: 1 });
}, 120_000);

test('at most 3 fetches of an owner to one host a minute; a fourth waits up to 66 s and does not fail', async () => {
  const user = await free();
  const paths = Array.from({ length: MAX_FETCHES + 1 }, () => sitePath('host'));
  const urls = await Promise.all(paths.map((path) => script(path, [{ body: '<p>Some words.</p>' }])));
  const sources = await Promise.all(urls.map((data) => user.create({ type: 'URI', initial_data: { data } })));
  const waiting = await until('one waits', async () => {
    const all = await Promise.all(sources.map(({ id }) => user.get(id)));
    const open = all.filter(({ status }) => status !== 'COMPLETED');
    return open.length === 1 && open[0]?.progress?.stage === 'fetch' && open[0];
  });
  const requested = (await Promise.all(paths.map(received))).filter((requests) => requests.length > 0);
  expect(requested).toHaveLength(MAX_FETCHES);
  expect((await usage(user)).hostFetches).toEqual({
    limit: MAX_FETCHES,
    hosts: [{ host: '127.0.0.1', used: MAX_FETCHES }],
  });
  // It is attempted again once the minute is over.
  const run = service.temporal.workflow.getHandle(`source-${waiting.id}`);
  const [pending] = (await until('it waits for its next attempt', async () => {
    const { raw } = await run.describe();
    return raw.pendingActivities?.some(({ lastFailure }) => lastFailure != null) ? raw.pendingActivities : null;
  })) as { lastFailure?: { applicationFailureInfo?: { type?: string } }; scheduledTime?: { seconds?: unknown } }[];
  expect(pending?.lastFailure?.applicationFailureInfo?.type).toBe('HostAskedOften');
  const left = Number(pending?.scheduledTime?.seconds) * 1_000 - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(66_000);
  expect((await user.call('POST', `/v1/sources/${waiting.id}/cancel`)).status).toBe(200);
});

test('spellings of a host share one count, which includes checks of links', async () => {
  const user = await free();
  const at = async (host: string) =>
    (await script(sitePath('spelled'), [{ body: '<p>Words.</p>' }])).replace('127.0.0.1', host);
  // Even if the second name does not resolve, its fetch counts.
  for (const host of ['localhost', 'LOCALHOST.']) {
    const { body } = await create(user, { type: 'URI', initial_data: { data: await at(host) } });
    await until('it ended', async () => ['COMPLETED', 'FAILED'].includes((await user.get(body.data.id)).status));
  }
  const { id } = (await content(user, `[A link](${await at('localhost')})`)).body.data;
  await user.reach(id, 'COMPLETED');
  const [link] = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data;
  expect((await user.call('PUT', `/v1/source-artifact/${link.id}/process`)).status).toBe(202);
  await until('the link was checked', async () => (await usage(user)).hostFetches.hosts[0]?.used === 3);
  expect((await usage(user)).hostFetches.hosts).toEqual([{ host: 'localhost', used: 3 }]);
});

test('the minute of fetches begins with the first one, per owner and host', async () => {
  const [one, other] = [await service.newUser(), await service.newUser()];
  const limits = { free: 1, pro: 2 };
  const count = (user: TestUser, host: string) => countHostFetch(service.database.pool, user.userId, host, limits);
  const tries = await Promise.all(Array.from({ length: 5 }, () => count(one, 'a.example')));
  expect(tries.filter((waitMs) => waitMs === 0)).toHaveLength(2);
  for (const waitMs of tries) expect(waitMs).toBeLessThanOrEqual(60_000);
  expect([await count(one, 'b.example'), await count(other, 'a.example')]).toEqual([0, 0]);
  const age = `update host_fetches set begun_at = now() - interval '61 seconds' where owner_id = $1 and host = 'a.example'`;
  await service.database.pool.query(age, [one.userId]);
  expect([await count(one, 'a.example'), await count(one, 'a.example')]).toEqual([0, 0]);
  expect(await count(one, 'a.example')).toBeGreaterThan(50_000);
});
