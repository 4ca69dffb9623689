/** Delivery of tickets as mails to support. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningMail, startMail } from '../../apps/dev/servers/mail.ts';
import { freePort } from '../../apps/dev/servers/ports.ts';
import { ticketWorkflowId } from '../../contract/commands.ts';
import { newUser, script, sitePath, type TestUser } from '../support/client.ts';
import { startPrivateService } from '../support/private-service.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

interface ReadMail {
  headers: Map<string, string>;
  text: string;
}

/** Parses a plain-text mail as nodemailer writes it. */
function parseMail(raw: string): ReadMail {
  const at = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, at)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const),
  );
  const body = raw.slice(at + 4);
  const quoted = headers.get('content-transfer-encoding') === 'quoted-printable';
  const bytes = quoted
    ? Buffer.from(
        body.replaceAll(/=\r\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
        'latin1',
      )
    : Buffer.from(body);
  return { headers, text: bytes.toString('utf8').replaceAll('\r\n', '\n') };
}

/** Waits for the mails about a ticket in a folder of the sink. */
function mailsAbout(folder: string, ticketId: string): Promise<ReadMail[]> {
  return until(
    `a mail about ${ticketId} arrives`,
    async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
      const mails = await Promise.all(names.map(async (name) => parseMail(await readFile(join(folder, name), 'utf8'))));
      const found = mails.filter(({ headers }) => headers.get('message-id')?.includes(ticketId));
      return found.length > 0 && found;
      // The retry interval grows with the time that the server was away.
    },
    60_000,
  );
}

async function createTicket(user: TestUser, change: object = {}) {
  const body = { type: 'technical', reply_address: 'me@example.com', message: 'Help.', ...change };
  const response = await user.call('POST', '/v1/support/tickets', body);
  return { id: response.body.data.id as string, requestId: response.headers.get('x-request-id') };
}

test('the mail has the message, Reply-To, plan, counts and last failures of the user', async () => {
  const user = await newUser({ plan: 'pro' });
  const failing = await user.create({
    type: 'URI',
    initial_data: { data: await script(sitePath('missing'), [{ status: 404 }]) },
  });
  const done = await user.content('Some text.');
  await user.reach(failing.id, 'FAILED');
  await user.reach(done.id, 'COMPLETED');
  const message = 'Grüße!\n.\nReply-To: other@example.com\nSubject: another\n\nWhy does it fail?';
  const { id, requestId } = await createTicket(user, { message, reply_address: "me+o'neil@example.com" });
  const [mail, ...more] = await mailsAbout(join(stack().dataFolder, 'mail'), id);
  expect(more).toEqual([]);
  expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
    from: 'context-workspace@localhost.localdomain',
    to: 'support@localhost.localdomain',
    'reply-to': "me+o'neil@example.com",
    subject: `[technical] Support ticket ${id}`,
    'message-id': `<ticket-${id}@localhost.localdomain>`,
  });
  const text = mail?.text ?? '';
  expect(text.startsWith(`${message}\n\n-- \n`)).toBe(true);
  expect(text).toContain(`Request: ${requestId}\n`);
  expect(text).toMatch(new RegExp(`^User: ${user.userId}, Test <[-0-9a-f]+@example\\.com>$`, 'm'));
  expect(text).toContain('Plan: pro\nSpaces: 1\n');
  expect(text).toContain('Sources: CREATED 0, PENDING 0, PROCESSING 0, COMPLETED 1, FAILED 1, CANCELED 0\n');
  expect(text).toMatch(
    new RegExp(`^Last failures:\\n  \\S+Z fetch_http_status, source ${failing.id}, generation 1: .*404`, 'm'),
  );
});

test('while the mail server is away tickets wait and a lost run is repaired; then each is sent once', async () => {
  const port = await freePort();
  const dataFolder = await mkdtemp(join(tmpdir(), 'context-workspace-mail-'));
  const service = await startPrivateService({
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'service@example.org',
      SUPPORT_MAILBOX: 'desk@example.org',
      RECONCILER_SWEEP_SECONDS: '0.5',
      RECONCILER_GRACE_SECONDS: '1',
    },
  });
  let mail: RunningMail | undefined;
  try {
    await service.startWorker();
    const user = await service.newUser();
    const [waiting, lost] = [await createTicket(user), await createTicket(user)];
    const run = (id: string) => service.temporal.workflow.getHandle(ticketWorkflowId(id));
    const tried = (id: string) =>
      until(`the mail of ticket ${id} was attempted`, async () => {
        const [pending] = (await run(id).describe()).raw.pendingActivities ?? [];
        return pending?.lastFailure?.message?.includes('ECONNREFUSED');
      });
    await Promise.all([tried(waiting.id), tried(lost.id)]);
    const first = (await run(lost.id).describe()).runId;
    await run(lost.id).terminate('test');
    await until('a new run sends the lost one', async () => (await run(lost.id).describe()).runId !== first);
    mail = await startMail({ dataFolder, port });
    for (const { id } of [waiting, lost]) {
      const mails = await mailsAbout(mail.folder, id);
      expect(mails.map(({ headers }) => [headers.get('from'), headers.get('to')])).toEqual([
        ['service@example.org', 'desk@example.org'],
      ]);
      await run(id).result();
    }
    const { rows } = await service.database.pool.query(
      'select status, sent_at is not null as sent from support_tickets',
    );
    expect(rows).toEqual([
      { status: 'SENT', sent: true },
      { status: 'SENT', sent: true },
    ]);
    expect(await readdir(mail.folder)).toHaveLength(2);
  } finally {
    await service.stop();
    await mail?.stop();
    await rm(dataFolder, { recursive: true });
  }
}, 120_000);
