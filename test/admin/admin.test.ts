/** The operator's command line, as a process of its own. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { send } from '../support/client.ts';
import { stack } from '../support/stack.ts';

const main = fileURLToPath(new URL('../../apps/admin/main.ts', import.meta.url));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function admin(line: string, environment: Record<string, string> = {}): Promise<Ended> {
  const { DATABASE_URL = '' } = stack().settings;
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...line.split(' ')], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** What a command that succeeds prints with --json. */
async function done(line: string) {
  const { code, stdout, stderr } = await admin(`${line} --json`);
  if (code !== 0) throw new Error(`${line}: ${code} ${stderr}`);
  return JSON.parse(stdout);
}

const status = async (key: string) => (await send(`${stack().apiUrl}/v1/spaces`, 'GET', { key })).status;

test('a user is created with a key, gets another plan, is disabled and enabled', async () => {
  const email = `${randomUUID()}@example.com`;
  const { user, key } = await done(`user create --email ${email.toUpperCase()} --name Ada --plan pro`);
  expect(user).toMatchObject({ email, name: 'Ada', plan: 'pro', disabledAt: null });
  expect(await status(key)).toBe(200);

  const changed = await done(`user plan --email ${email} --plan free`);
  expect(changed.user.plan).toBe('free');
  const disabled = await done(`user disable --email ${email}`);
  expect(disabled.user.disabledAt).toEqual(expect.any(String));
  expect(await status(key)).toBe(401);
  await done(`user enable --email ${email}`);
  expect(await status(key)).toBe(200);
});

test('keys of a user are created with scopes and expiry, listed and deleted', async () => {
  const email = `${randomUUID()}@example.com`;
  await done(`user create --email ${email}`);
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const { apiKey, key } = await done(`key create --user ${email} --name CI --scopes read --expires ${expires}`);
  expect(apiKey).toMatchObject({ name: 'CI', scopes: ['read'], expiresAt: expires, prefix: key.slice(0, 8) });
  expect(await status(key)).toBe(200);
  expect((await send(`${stack().apiUrl}/v1/spaces`, 'POST', { key, body: { name: 'S' } })).status).toBe(403);

  const listed = await done(`key list --user ${email}`);
  expect(listed.keys.map(({ name }: { name: string }) => name)).toEqual(['CI', 'First key']);
  expect(JSON.stringify(listed)).not.toContain(key);
  await done(`key delete --id ${apiKey.id}`);
  expect(await status(key)).toBe(401);
});

test('users are listed in pages', async () => {
  const name = randomUUID();
  const emails = [1, 2, 3].map((number) => `${name}-${number}@example.com`);
  await Promise.all(emails.map((email) => done(`user create --email ${email}`)));
  const first = await done(`user list --after ${name} --limit 2`);
  expect(first.users.map(({ email }: { email: string }) => email)).toEqual(emails.slice(0, 2));
  expect(first.next).toBe(emails[1]);
  const { stdout } = await admin(`user list --after ${first.next} --limit 1`);
  expect(stdout).toContain(emails[2]);
});

test.each([
  ['nonsense', 64, 'There is no command "nonsense"'],
  ['user', 64, 'There is no command "user"'],
  ['user create', 64, '--email is required.'],
  ['user create --email nobody', 64, '--email: must be an e-mail address.'],
  ['user create --email a@example.com --plan gold', 64, '--plan: must be free or pro.'],
  ['user create --email a@example.com --colour red', 64, '--colour'],
  ['user list --limit 0', 64, '--limit: must be a number from 1 to 1000.'],
  ['user plan --email a@example.com', 64, '--plan is required.'],
  ['user disable --email nobody@example.com', 1, '--email: there is no user nobody@example.com.'],
  ['key create --user nobody@example.com', 1, '--user: there is no user nobody@example.com.'],
  ['key create --user a@example.com --scopes all', 64, '--scopes: must be read or write'],
  ['key create --user a@example.com --expires 2001-01-01', 64, '--expires: must lie in the future.'],
  ['key delete --id 01890000-0000-7000-8000-000000000000', 1, '--id: there is no key'],
])('%s: exit code %d', async (line, code, message) => {
  const ended = await admin(line);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toMatch(/\n +at /);
});

test('an address that is taken is named', async () => {
  const email = `${randomUUID()}@example.com`;
  await done(`user create --email ${email}`);
  const again = await admin(`user create --email ${email}`);
  expect(again).toMatchObject({ code: 1, stderr: `--email: there is a user ${email} already.\n` });
});

test('a database that is away is named', async () => {
  const { code, stderr } = await admin('user list', { DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/x' });
  expect(code).toBe(1);
  expect(stderr).toContain('DATABASE_URL at 127.0.0.1:1');
});

test.each([
  ['--help', ['user create', 'key delete', 'Exit codes']],
  ['user --help', ['user plan']],
  ['user create --help', ['--email ADDRESS', '[--plan free|pro]', '--json']],
  ['key create --help', ['--user ADDRESS', '[--expires TIME]', 'read,write']],
])('%s tells what there is', async (line, parts) => {
  const { code, stdout } = await admin(line);
  expect(code).toBe(0);
  for (const part of parts) expect(stdout).toContain(part);
});
