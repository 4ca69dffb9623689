import { randomUUID } from 'node:crypto';
import { transaction } from '../../db/sql.ts';
import { endGeneration } from '../../db/transitions/generations/end-generation.ts';
import {
  claimCommands,
  hasDueStarts,
  postponeCommand,
  removeCommands,
} from '../../db/transitions/outbox/claim-commands.ts';
import type { TestUser } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
});
afterAll(() => service?.stop());
afterEach(() => service.database.pool.query('delete from outbox'));

const claim = (limit: number, token = randomUUID()) => claimCommands(service.database.pool, limit, 30, token);

test('a claimed command cannot be claimed again until its lease ends', async () => {
  const user = await service.newUser();
  const source = await user.content('One');
  const [first] = await claim(10);
  expect(first).toMatchObject({ sourceId: source.id, command: 'start', generation: 1 });
  expect(await claim(10)).toEqual([]);
  await service.database.pool.query("update outbox set available_at = now() - interval '1 second'");
  expect(await claim(10)).toHaveLength(1);
});

test('a dispatcher that lost the lease can neither remove nor postpone the command', async () => {
  const user = await service.newUser();
  await user.content('One');
  const [first] = await claim(10, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa');
  await service.database.pool.query('update outbox set available_at = now()');
  await claim(10, 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb');
  const id = first?.id ?? 0;
  await removeCommands(service.database.pool, [id], 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa');
  const failure = { delaySeconds: 0, refused: true, message: 'late' };
  await postponeCommand(service.database.pool, id, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', failure);
  const { rows } = await service.database.pool.query('select refusals, lease_token from outbox');
  expect(rows).toEqual([{ refusals: 0, lease_token: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb' }]);
});

/** Writes `count` tickets of one owner with their commands. */
const tickets = (userId: string, count: number) =>
  service.database.pool.query(
    `with ticket as (
       insert into support_tickets (id, user_id, type, reply_address, message, request_id)
       select gen_random_uuid(), $1, 'technical', 'one@example.com', 'Help.', 'test' from generate_series(1, $2::int)
       returning id, user_id
     ) insert into outbox (owner_id, command, ticket_id) select user_id, 'send', id from ticket`,
    [userId, count],
  );

test('owners take turns: among 10 claimed commands is the one of another owner behind 1,000', async () => {
  const [many, one] = await Promise.all([service.newUser(), service.newUser()]);
  await tickets(many.userId, 1_000);
  const single = await one.content('One');
  const claimed = await claim(10);
  expect(claimed).toHaveLength(10);
  expect(claimed.map(({ sourceId }) => sourceId)).toContain(single.id);
});

test('a new owner gets half of the next 40 claims while another has 500 commands left', async () => {
  const [many, one] = await Promise.all([service.newUser(), service.newUser()]);
  await tickets(many.userId, 1_000);
  await claim(500);
  await tickets(one.userId, 40);
  const owners = (await claim(40)).map(({ ownerId }) => ownerId);
  expect(owners.filter((id) => id === one.userId)).toHaveLength(20);
});

test('leased or postponed commands do not delay those of other owners', async () => {
  const [many, one] = await Promise.all([service.newUser(), service.newUser()]);
  await tickets(many.userId, 1_000);
  await claim(500);
  await service.database.pool.query(
    "update outbox set available_at = now() + interval '1 hour' where lease_token is null",
  );
  const single = await one.content('One');
  expect((await claim(10)).map(({ sourceId }) => sourceId)).toEqual([single.id]);
});

describe('a command that ends a run blocks later commands of its source', () => {
  const token = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
  /** A claimed command that ends a run, and a later generation of the same source. */
  async function overtaken() {
    const user = await service.newUser();
    const { id } = await user.content('One');
    await service.database.pool.query("update outbox set command = 'deliver', end_run_id = 'run'");
    const [first] = await claim(10, token);
    expect(first).toMatchObject({ sourceId: id, endRunId: 'run' });
    expect((await user.call('POST', `/v1/sources/${id}/reprocess`)).status).toBe(202);
    const other = await user.content('Another source');
    return { first: first?.id ?? 0, id, other };
  }

  test('while it is leased', async () => {
    const { first, id, other } = await overtaken();
    expect((await claim(10)).map(({ sourceId }) => sourceId)).toEqual([other.id]);
    await removeCommands(service.database.pool, [first], token);
    expect(await claim(10)).toMatchObject([{ sourceId: id, command: 'reprocess', endRunId: null }]);
  });

  test('while it is postponed', async () => {
    const { first, id, other } = await overtaken();
    const failure = { delaySeconds: 60, refused: true, message: 'refused' };
    await postponeCommand(service.database.pool, first, token, failure);
    expect((await claim(10)).map(({ sourceId }) => sourceId)).toEqual([other.id]);
    await service.database.pool.query('update outbox set available_at = now() where id = $1', [first]);
    expect(await claim(10, token)).toMatchObject([{ sourceId: id, command: 'deliver', endRunId: 'run' }]);
    await removeCommands(service.database.pool, [first], token);
    expect(await claim(10)).toMatchObject([{ sourceId: id, command: 'reprocess' }]);
  });
});

test('a claim writes CREATED to PENDING only for the command of the current generation', async () => {
  const user = await service.newUser();
  const source = await user.content('One');
  await service.database.pool.query("update outbox set generation = 7, command = 'reprocess'");
  await claim(10);
  expect((await user.get(source.id)).status).toBe('CREATED');
  await service.database.pool.query("update outbox set generation = 1, command = 'start', available_at = now()");
  await claim(10);
  expect((await user.get(source.id)).status).toBe('PENDING');
});

describe('with a limit of open runs (free 2, pro 3)', () => {
  const maxOpenRuns = { free: 2, pro: 3 };
  const claimWithin = (limit: number) => claimCommands(service.database.pool, limit, 30, randomUUID(), { maxOpenRuns });
  const contents = (user: TestUser, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => user.content(`Text ${n}.`)));
  const finish = (id: string) =>
    transaction(service.database, (session) =>
      endGeneration(session, 'http://api', { sourceId: id, generation: 1 }, { status: 'CANCELED' }),
    );

  test('eight concurrent claims stay within it, and the end of a run allows one more', async () => {
    const [pro, free] = [await service.newUser(), await service.newUser({ plan: 'free' })];
    await Promise.all([contents(pro, 12), contents(free, 12)]);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimWithin(5)));
    // Of two concurrent claims one may skip an owner that the other has locked.
    const claimed = [...claims.flat(), ...(await claimWithin(24))];
    expect(claimed.filter(({ ownerId }) => ownerId === pro.userId)).toHaveLength(3);
    expect(claimed.filter(({ ownerId }) => ownerId === free.userId)).toHaveLength(2);
    expect(await hasDueStarts(service.database.pool)).toBe(true);
    expect(await claimWithin(24)).toEqual([]);
    await removeCommands(
      service.database.pool,
      claimed.map(({ id }) => id),
      '00000000-0000-4000-8000-000000000000',
    );
    const [first] = claimed.filter(({ ownerId }) => ownerId === pro.userId);
    await finish(first?.sourceId ?? '');
    expect((await claimWithin(24)).map(({ ownerId }) => ownerId)).toEqual([pro.userId]);
  });

  test('a claim that has not committed lets no other claim open runs of its owners', async () => {
    const pro = await service.newUser();
    await contents(pro, 6);
    const of = (claimed: { ownerId: string }[]) => claimed.filter(({ ownerId }) => ownerId === pro.userId).length;
    await transaction(service.database, async (session) => {
      // No more than these three: a claim locks the commands that it looks at.
      expect(of(await claimCommands(session, 3, 30, randomUUID(), { maxOpenRuns }))).toBe(3);
      expect(of(await claimWithin(24))).toBe(0);
    });
    expect(of(await claimWithin(24))).toBe(0);
  });

  test('cancels and other owners’ commands pass the commands that wait', async () => {
    const [full, other] = [await service.newUser(), await service.newUser()];
    const sources = await contents(full, 40);
    expect(await claimWithin(5)).toHaveLength(3);
    const [canceled] = sources.slice(-1);
    await full.call('POST', `/v1/sources/${canceled?.id}/cancel`);
    const single = await other.content('A single one.');
    const claimed = await claimWithin(2);
    expect(claimed.map(({ sourceId }) => sourceId)).toContain(single.id);
  });

  test('a command whose lease expired is claimed again, although its run counts as open', async () => {
    const user = await service.newUser();
    await contents(user, 6);
    expect(await claimWithin(10)).toHaveLength(3);
    await service.database.pool.query("update outbox set available_at = now() - interval '1 second'");
    expect(await claimWithin(10)).toHaveLength(3);
  });
});
