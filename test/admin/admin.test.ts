/** The operator's command line: effects of its commands, output and exit codes. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { CommandError } from '../../apps/admin/command.ts';
import { type Database, openDatabase } from '../../db/orm.ts';
import { send } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { runCommand } from './run-command.ts';

const main = fileURLToPath(new URL('../../apps/admin/main.ts', import.meta.url));

interface ProcessResult {
  code: number;
  stdout: string;
  stderr: string;
}

function admin(line: string, environment: Record<string, string> = {}): Promise<ProcessResult> {
  const { DATABASE_URL = '' } = stack().settings;
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...line.split(' ')], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

let database: Database;
beforeAll(async () => {
  database = await openDatabase(stack().settings.DATABASE_URL ?? '', 2);
});
afterAll(() => database.close());

const run = (line: string) => runCommand(database, line);

/** The --json output of a command that succeeds. */
async function runJson(line: string) {
  const { data } = await run(line);
  return JSON.parse(JSON.stringify(data));
}

const status = async (key: string) => (await send(`${stack().apiUrl}/v1/spaces`, 'GET', { key })).status;

test('user create, plan, disable and enable: the key is 401 only while the user is disabled', async () => {
  const email = `${randomUUID()}@example.com`;
  const { user, key } = await runJson(`user create --email ${email.toUpperCase()} --name Ada --plan pro`);
  expect(user).toMatchObject({ email, name: 'Ada', plan: 'pro', disabledAt: null });
  expect(await status(key)).toBe(200);

  const changed = await runJson(`user plan --email ${email} --plan free`);
  expect(changed.user.plan).toBe('free');
  const disabled = await runJson(`user disable --email ${email}`);
  expect(disabled.user.disabledAt).toEqual(expect.any(String));
  expect(await status(key)).toBe(401);
  await runJson(`user enable --email ${email}`);
  expect(await status(key)).toBe(200);
});

test('keys are created with scopes and expiry, listed without the raw key and deleted', async () => {
  const email = `${randomUUID()}@example.com`;
  await runJson(`user create --email ${email}`);
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const { apiKey, key } = await runJson(`key create --user ${email} --name CI --scopes read --expires ${expires}`);
  expect(apiKey).toMatchObject({ name: 'CI', scopes: ['read'], expiresAt: expires, prefix: key.slice(0, 8) });
  expect(await status(key)).toBe(200);
  expect((await send(`${stack().apiUrl}/v1/spaces`, 'POST', { key, body: { name: 'S' } })).status).toBe(403);

  const listed = await runJson(`key list --user ${email}`);
  expect(listed.keys.map(({ name }: { name: string }) => name)).toEqual(['CI', 'First key']);
  expect(JSON.stringify(listed)).not.toContain(key);
  await runJson(`key delete --id ${apiKey.id}`);
  expect(await status(key)).toBe(401);
});

test('users are listed in pages of --limit, from --after on', async () => {
  const name = randomUUID();
  const emails = [1, 2, 3].map((number) => `${name}-${number}@example.com`);
  await Promise.all(emails.map((email) => runJson(`user create --email ${email}`)));
  const first = await runJson(`user list --after ${name} --limit 2`);
  expect(first.users.map(({ email }: { email: string }) => email)).toEqual(emails.slice(0, 2));
  expect(first.next).toBe(emails[1]);
  const { text } = await run(`user list --after ${first.next} --limit 1`);
  expect(text).toContain(emails[2]);
});

test.each([
  ['user create', CommanderError, '--email is required.'],
  ['user create --email nobody', CommanderError, '--email: must be an e-mail address.'],
  ['user create --email a@example.com --plan gold', CommanderError, '--plan: must be free or pro.'],
  ['user create --email a@example.com --colour red', CommanderError, '--colour'],
  ['user list --limit 0', CommanderError, '--limit: must be a number from 1 to 1000.'],
  ['user plan --email a@example.com', CommanderError, '--plan is required.'],
  ['user disable --email nobody@example.com', CommandError, '--email: there is no user nobody@example.com.'],
  ['key create --user nobody@example.com', CommandError, '--user: there is no user nobody@example.com.'],
  ['key create --user a@example.com --scopes all', CommanderError, '--scopes: must be read or write'],
  ['key create --user a@example.com --expires 2001-01-01', CommanderError, '--expires: must be in the future.'],
  ['key delete --id 01890000-0000-7000-8000-000000000000', CommandError, '--id: there is no key'],
])('%s: the error names the wrong option or command', async (line, kind, message) => {
  const error = await run(line).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(kind);
  expect(String(error)).toContain(message);
});

test.each([
  ['nonsense', 64, 'There is no command "nonsense"'],
  ['user nonsense', 64, 'There is no command "user nonsense"'],
  ['user create --email nobody', 64, '--email: must be an e-mail address.\nSee: npm run admin -- user create --help\n'],
  ['user disable --email nobody@example.com', 1, '--email: there is no user nobody@example.com.'],
])('%s: exit code %d, the error on stderr without a stack trace', async (line, code, message) => {
  const ended = await admin(line);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(message);
  expect(ended.stderr).not.toMatch(/\n +at /);
});

test('the output is text, or JSON with --json', async () => {
  const [email, other] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  const [json, text] = await Promise.all([
    admin(`user create --email ${email} --json`),
    admin(`user create --email ${other}`),
  ]);
  expect(JSON.parse(json.stdout)).toMatchObject({ user: { email }, key: expect.stringMatching(/^cws_/) });
  expect(text.stdout).toMatch(/^User \S+ \(\S+, free\)\nAPI key \(shown only once\): cws_\S+\n$/);
});

test('user create with an existing address fails and names it', async () => {
  const email = `${randomUUID()}@example.com`;
  await runJson(`user create --email ${email}`);
  await expect(run(`user create --email ${email}`)).rejects.toThrow(`--email: there is a user ${email} already.`);
});

test('an unreachable database ends with exit code 1 and the host and port of DATABASE_URL', async () => {
  const { code, stderr } = await admin('user list', { DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/x' });
  expect(code).toBe(1);
  expect(stderr).toContain('DATABASE_URL at 127.0.0.1:1');
});

test('help lists the commands, and --help the options of one', async () => {
  const all = await admin('--help');
  expect(all.code).toBe(0);
  for (const line of ['user create +Create a user', 'key list +List the newest', 'secrets encrypt +Re-encrypt'])
    expect(all.stdout).toMatch(new RegExp(line));
  const { code, stdout } = await admin('user create --help');
  expect(code).toBe(0);
  for (const part of ['--email ADDRESS', '[--plan free|pro]', '--json']) expect(stdout).toContain(part);
});
