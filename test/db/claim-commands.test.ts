import { randomUUID } from 'node:crypto';
import { claimCommands, postponeCommand, removeCommands } from '../../db/transitions/claim-commands.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService({ settings: { API_RUNS_DISPATCHER: 'false' } });
});
afterAll(() => service?.stop());
afterEach(() => service.database.pool.query('delete from outbox'));

const claim = (limit: number, token = randomUUID()) => claimCommands(service.database.pool, limit, 30, token);

test('a claimed command is nobody else’s until its lease ends', async () => {
  const user = await service.newUser();
  const source = await user.content('One');
  const [first] = await claim(10);
  expect(first).toMatchObject({ sourceId: source.id, command: 'start', generation: 1 });
  expect(await claim(10)).toEqual([]);
  await service.database.pool.query("update outbox set available_at = now() - interval '1 second'");
  expect(await claim(10)).toHaveLength(1);
});

test('who lost the lease can neither remove nor postpone the command', async () => {
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

test('owners take turns: a thousand commands of one do not hold up one of another', async () => {
  const [many, one] = await Promise.all([service.newUser(), service.newUser()]);
  const source = await many.content('Many');
  await service.database.pool.query(
    `insert into outbox (owner_id, source_id, command, generation)
     select $1, $2, 'reprocess', n from generate_series(2, 1001) n`,
    [many.userId, source.id],
  );
  const single = await one.content('One');
  const claimed = await claim(10);
  expect(claimed).toHaveLength(10);
  expect(claimed.map(({ sourceId }) => sourceId)).toContain(single.id);
});

test('claiming writes CREATED to PENDING, and only for the command of that generation', async () => {
  const user = await service.newUser();
  const source = await user.content('One');
  await service.database.pool.query("update outbox set generation = 7, command = 'reprocess'");
  await claim(10);
  expect((await user.get(source.id)).status).toBe('CREATED');
  await service.database.pool.query("update outbox set generation = 1, command = 'start', available_at = now()");
  await claim(10);
  expect((await user.get(source.id)).status).toBe('PENDING');
});
