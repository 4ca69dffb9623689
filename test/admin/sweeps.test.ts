/** `sweeps status`, `sweeps resume` and `objects collect`, on a separate bucket. */
import { randomUUID } from 'node:crypto';
import { CommandError } from '../../apps/admin/command.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { parseConfig } from '../../platform/config.ts';
import { createStorage, type Storage, storageOptions } from '../../platform/storage.ts';
import { stack } from '../support/stack.ts';
import { runCommand } from './run-command.ts';

// The commands read their settings from the environment.
Object.assign(process.env, stack().settings, { S3_BUCKET: `admin-${randomUUID()}` });

let database: Database;
let storage: Storage;
beforeAll(async () => {
  const config = parseConfig(process.env);
  database = await openDatabase(config.DATABASE_URL, 2);
  storage = createStorage(storageOptions(config));
  await storage.ensureBucket();
});
afterAll(async () => {
  storage.close();
  await database.close();
});

const run = (line: string) => runCommand(database, line);
/** The --json output of a command. */
const runJson = async (line: string) => JSON.parse(JSON.stringify((await run(line)).data));

test('while sweeps are held, `objects collect` fails and removes nothing, until `sweeps resume`', async () => {
  const first = await runJson('sweeps resume');
  expect(first).toMatchObject({ resumed: true, before: null, after: { identity: expect.stringContaining('system') } });
  expect(await runJson('sweeps status')).toEqual({
    held: false,
    reason: null,
    mark: first.after,
    identity: first.after.identity,
  });
  expect(await runJson('sweeps resume')).toEqual({ resumed: false, before: first.after, after: first.after });

  const other = { ...first.after, identity: 'system 1, timeline 1, database 1, tables 1' };
  await storage.put('database.json', JSON.stringify(other), 'application/json');
  expect(await runJson('sweeps status')).toMatchObject({ held: true, reason: expect.stringContaining('system 1,') });
  const garbage = `sources/${randomUUID()}/${randomUUID()}/${randomUUID()}/content`;
  await storage.put(garbage, 'x', 'text/plain');
  for (const line of ['objects collect --grace 0', 'objects collect --grace 0 --force']) {
    const rejected = await run(line).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(CommandError);
    expect(String(rejected)).toContain('sweeps resume');
    expect(await storage.head(garbage)).not.toBeNull();
  }

  expect((await run('sweeps resume')).text).toMatch(/^The bucket now belongs to system .* resume\.$/);
  expect(await runJson('sweeps status')).toMatchObject({ held: false });
  expect(await runJson('objects collect --grace 0')).toMatchObject({ removed: 1 });
});
