/** Temporal's database is lost or restored to an older copy: the service recovers its pending work. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMail } from '../../apps/dev/servers/mail.ts';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { deliveries, received, script, settledDeliveries, sitePath, type TestUser } from '../support/client.ts';
import { generationsOf } from '../support/generations.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';
import { distinctPostbacks } from '../support/received-postbacks.ts';
import { replayErrors } from '../support/replay.ts';
import { closedRun } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/** Promised recovery time after Temporal is back. */
const REPAIR_MS = 60_000;

let service: PrivateService;
let user: TestUser;
let mailPort: number;
beforeAll(async () => {
  mailPort = await freePort();
  service = await startPrivateService({
    own: ['temporal'],
    settings: {
      POSTBACK_SCHEDULE_SECONDS: '0,3,3,3,3',
      RECONCILER_SWEEP_SECONDS: '0.5',
      RECONCILER_GRACE_SECONDS: '1',
      RECONCILER_REMIND_SECONDS: '2',
      // No mail server listens at first, so that tickets stay pending.
      SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    },
  });
  await service.startWorker();
  user = await service.newUser();
});
afterAll(() => service?.stop());

/** Waits until all commands have been sent to Temporal. */
const outboxEmpty = () =>
  until('the outbox is empty', async () => (await service.database.pool.query('select from outbox')).rowCount === 0);

async function replaceTemporalsData(copy?: string): Promise<void> {
  const server = service.server('temporal');
  await server.stop();
  await server.replaceData(copy);
  await server.start();
}

/** A receiver that returns 503 until `accept` is called. */
async function receiver() {
  const path = sitePath('postback');
  return { path, url: await script(path, [{ status: 503 }]), accept: () => script(path, [{ status: 204 }]) };
}

/** A page that does not respond until `respond` is called. */
async function page() {
  const path = sitePath('page');
  const respond = () => script(path, [{ body: '<h1>At last</h1><p>The page has answered.</p>' }]);
  return { path, url: await script(path, [{ hang: true }]), respond };
}

async function fetching() {
  const [content, postback] = await Promise.all([page(), receiver()]);
  const source = await user.create({
    type: 'URI',
    initial_data: { data: content.url },
    instructions: { postback_url: postback.url },
  });
  await until('the page is requested', async () => (await received(content.path)).length === 1);
  return { id: source.id, page: content, postback };
}

async function ended() {
  const postback = await receiver();
  const { id } = await user.content('# Words\n\nSome words.', { postback_url: postback.url });
  await until('one attempt failed', async () => (await user.get(id)).postback?.attempts === 1);
  return { id, postback };
}

/** A link artifact of an ended source, with its page. */
async function linked() {
  const link = await page();
  const { id } = await user.content(`[a page](${link.url})\n`);
  await user.reach(id, 'COMPLETED');
  const [artifact] = (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data;
  return { id: artifact.id as string, page: link };
}

async function startProcessing(artifact: Awaited<ReturnType<typeof linked>>): Promise<void> {
  await user.call('PUT', `/v1/source-artifact/${artifact.id}/process`);
  await until('the link is requested', async () => (await received(artifact.page.path)).length > 0);
}

async function createTicket(): Promise<string> {
  const ticket = { type: 'technical', reply_address: 'me@example.com', message: 'Help.' };
  return (await user.call('POST', '/v1/support/tickets', ticket)).body.data.id;
}

const processed = (id: string) =>
  until(
    'the artifact is processed',
    async () => (await user.call('GET', `/v1/source-artifact/${id}`)).body.data.status === 'PROCESSED',
    REPAIR_MS,
  );

/** Starts the mail server and waits until the ticket is sent. */
async function sent(ticketId: string): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'mail-'));
  const mail = await startMail({ dataFolder, port: mailPort });
  try {
    await until(
      'the ticket is sent',
      async () => {
        const ticket = 'select status from support_tickets where id = $1';
        return (await service.database.pool.query(ticket, [ticketId])).rows[0]?.status === 'SENT';
      },
      REPAIR_MS,
    );
  } finally {
    await mail.stop();
    await rm(dataFolder, { recursive: true });
  }
}

/** Expects one delivered postback, and that the receiver got only its webhook-id. */
async function expectOnePostback(id: string, path: string, expected: { generation: number; status: string }) {
  const [delivery] = await settledDeliveries(user, id, 1, REPAIR_MS);
  expect(delivery?.state).toBe('delivered');
  expect(await distinctPostbacks(path)).toMatchObject([{ webhookId: delivery?.id, ...expected }]);
}

test("after the loss of Temporal's database all pending work ends correctly, with its postbacks", async () => {
  const [source, delivering, artifact, ticket] = await Promise.all([fetching(), ended(), linked(), createTicket()]);
  const composition = await user.create({ type: 'COMPOSITION', initial_data: { data: [source.id] } });
  await until('the composition waits', async () => (await user.get(composition.id)).progress?.stage === 'wait');
  await startProcessing(artifact);
  await outboxEmpty();

  await replaceTemporalsData();
  const back = Date.now();
  await Promise.all([
    source.page.respond(),
    source.postback.accept(),
    delivering.postback.accept(),
    artifact.page.respond(),
  ]);
  await Promise.all([
    user.reach(source.id, 'COMPLETED', REPAIR_MS),
    user.reach(composition.id, 'COMPLETED', REPAIR_MS),
    expectOnePostback(source.id, source.postback.path, { generation: 2, status: 'COMPLETED' }),
    expectOnePostback(delivering.id, delivering.postback.path, { generation: 1, status: 'COMPLETED' }),
    processed(artifact.id),
    sent(ticket),
  ]);
  expect(Date.now() - back).toBeLessThan(REPAIR_MS);
  for (const id of [source.id, composition.id]) {
    expect(await generationsOf(service.database, id)).toMatchObject([
      { generation: 1, outcome: 'SUPERSEDED' },
      { generation: 2, trigger: 'recovery', outcome: 'COMPLETED' },
    ]);
  }
}, 120_000);

test('after a restore of an older Temporal copy, newer commands are executed and no webhook-id changes', async () => {
  const [reprocessedAtEnd, reprocessed, canceled, delivered, redelivered, artifact] = await Promise.all([
    ended(),
    fetching(),
    fetching(),
    ended(),
    ended(),
    linked(),
  ]);
  for (const { id, postback } of [reprocessedAtEnd, redelivered]) {
    await postback.accept();
    await settledDeliveries(user, id);
    await closedRun(service.temporal, id);
  }
  const server = service.server('temporal');
  await server.stop();
  const copy = await server.copyData();
  await server.start();

  // Changes after the copy. Receivers still return 503, except one that is delivered before the restore.
  await delivered.postback.accept();
  await settledDeliveries(user, delivered.id, 1, REPAIR_MS);
  const deliveredTo = (await received(delivered.postback.path)).length;
  await Promise.all([
    user.call('POST', `/v1/sources/${reprocessedAtEnd.id}/reprocess`),
    user.call('POST', `/v1/sources/${reprocessed.id}/reprocess`),
    user.call('POST', `/v1/sources/${canceled.id}/cancel`),
    startProcessing(artifact),
  ]);
  const [again] = await deliveries(user, redelivered.id);
  await script(redelivered.postback.path, [{ status: 503 }]);
  await user.call('POST', `/v1/sources/${redelivered.id}/postbacks/${again?.id}/redeliver`);
  const [created, ticket] = await Promise.all([fetching(), createTicket()]);
  await until('the reprocess fetches', async () => (await received(reprocessed.page.path)).length === 2);
  await outboxEmpty();

  await replaceTemporalsData(copy);
  const back = Date.now();
  const fetched = [reprocessed, created];
  const pending = [reprocessed, created, canceled, redelivered];
  await Promise.all([
    ...[...fetched, artifact].map((one) => one.page.respond()),
    ...pending.map(({ postback }) => postback.accept()),
  ]);
  await Promise.all([
    ...fetched.map(({ id }) => user.reach(id, 'COMPLETED', REPAIR_MS)),
    user.reach(reprocessedAtEnd.id, 'COMPLETED', REPAIR_MS),
    settledDeliveries(user, reprocessedAtEnd.id, 2, REPAIR_MS),
    expectOnePostback(canceled.id, canceled.postback.path, { generation: 1, status: 'CANCELED' }),
    expectOnePostback(redelivered.id, redelivered.postback.path, { generation: 1, status: 'COMPLETED' }),
    settledDeliveries(user, created.id, 1, REPAIR_MS),
    settledDeliveries(user, reprocessed.id, 1, REPAIR_MS),
    processed(artifact.id),
    sent(ticket),
  ]);
  expect(Date.now() - back).toBeLessThan(REPAIR_MS);

  for (const { id, postback } of [...fetched, reprocessedAtEnd]) {
    // Each ended generation has one webhook-id with one body; superseded ones have none.
    const expected = (await deliveries(user, id)).map(({ id: webhookId, generation }) => ({ webhookId, generation }));
    expect(await distinctPostbacks(postback.path)).toEqual(
      expect.arrayContaining(expected.map((one) => expect.objectContaining(one))),
    );
    expect(await distinctPostbacks(postback.path)).toHaveLength(expected.length);
    const { generation } = await user.get(id);
    expect(expected[0]?.generation).toBe(generation);
  }
  expect((await user.get(canceled.id)).status).toBe('CANCELED');
  expect(await received(delivered.postback.path)).toHaveLength(deliveredTo);
  for (const { id } of [...pending, delivered, reprocessedAtEnd]) await closedRun(service.temporal, id, REPAIR_MS);
  // Only new runs: runs that were open in the copy continued in workers with newer cached state, so they do not replay.
  const newRuns = [created, redelivered, reprocessedAtEnd].map(({ id }) => ({ sourceId: id }));
  expect(await replayErrors(service.temporal, newRuns)).toEqual([]);
}, 180_000);
