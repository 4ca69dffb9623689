import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ticketSchema } from '../../contract/resources.ts';
import { openDatabase } from '../../db/orm.ts';
import { newUser, send, type TestUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

const ticket = { type: 'technical', reply_address: 'me@example.com', message: 'It does not work.' };
const createTicket = (change: object = {}, headers?: Record<string, string>) =>
  user.call('POST', '/v1/support/tickets', { ...ticket, ...change }, headers);

test('a ticket is created as PENDING, in REST and tRPC', async () => {
  const response = await createTicket({ type: 'billing' });
  expect(response.status).toBe(201);
  const { data } = z.strictObject({ data: ticketSchema.strict() }).parse(response.body);
  expect(data).toMatchObject({ type: 'billing', status: 'PENDING' });
  const trpc = await user.call('POST', '/trpc/tickets.create', ticket);
  expect(trpc.body.result.data).toMatchObject({ type: 'technical', status: 'PENDING' });
});

test('a repeated Idempotency-Key returns the same ticket', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const [first, again] = [await createTicket({}, headers), await createTicket({}, headers)];
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
});

test('the message of a ticket is stored unchanged', async () => {
  const message = ` "Grüße" 🙂\r\n.\r\n\tReply-To: other@example.com\n${'𝐀'.repeat(9_900)}`;
  const { id } = (await createTicket({ message })).body.data;
  const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
  const { rows } = await database.pool.query('select message, user_id from support_tickets where id = $1', [id]);
  await database.close();
  expect(rows).toEqual([{ message, user_id: user.userId }]);
});

test.each([
  ['type', 'sales'],
  ['type', undefined],
  ['reply_address', undefined],
  ['reply_address', 'me'],
  ['reply_address', 'me@example.com\r\nBcc: all@example.com'],
  ['reply_address', 'me@example.com\n'],
  ['reply_address', 'Me <me@example.com>'],
  ['reply_address', 'me@example.com, you@example.com'],
  ['reply_address', `${'a'.repeat(320)}@example.com`],
  ['message', ''],
  ['message', 'a'.repeat(10_001)],
  ['message', 'a\0b'],
  ['replyAddress', 'me@example.com'],
])('%s %j is 400 and names the field', async (field, value) => {
  const response = await createTicket({ [field]: value });
  expect([response.status, response.body.details[0].field]).toEqual([400, field]);
});

test('a ticket without a key is 401', async () => {
  expect((await send(`${user.apiUrl}/v1/support/tickets`, 'POST', { body: ticket })).status).toBe(401);
});
