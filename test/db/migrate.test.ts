import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '../../db/migrate.ts';
import { stack } from '../support/stack.ts';

test('a migration runs without time limits, whatever the database sets', async () => {
  const url = new URL(stack().settings.DATABASE_URL ?? '');
  const name = `migrated_${randomUUID().slice(0, 8)}`;
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.query(`alter database ${name} set statement_timeout = '30s'`);
  await admin.query(`alter database ${name} set idle_in_transaction_session_timeout = '30s'`);
  await admin.end();
  url.pathname = `/${name}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(`
    create table seen (statement text, idle text);
    create function note_limits() returns event_trigger language plpgsql as $$ begin
      insert into seen select current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout');
    end $$;
    create event trigger note_limits on ddl_command_start execute function note_limits()`);
  expect(await migrate(url.href)).not.toEqual([]);
  expect((await client.query('select distinct statement, idle from seen')).rows).toEqual([
    { statement: '0', idle: '0' },
  ]);
  expect(await migrate(url.href)).toEqual([]);
  await client.end();
});
