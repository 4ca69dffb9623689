/** The programs in examples/ work as their comments and the README say. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '../apps/dev/servers/ports.ts';
import { postbackSchema } from '../contract/postback.ts';
import { newUser, received, script, settledDeliveries, sitePath, type TestUser } from './support/client.ts';

const pdf = ['apps/dev/demo/handbook.pdf', 'application/pdf'];

let user: TestUser;
beforeAll(async () => {
  user = await newUser();
});

const environment = () => ({ ...process.env, API_URL: user.apiUrl, API_KEY: user.key });

test.each([
  ['curl', 'bash', 'examples/process-file.sh'],
  ['the typed client', process.execPath, 'examples/process-file.ts'],
])('a file is uploaded, processed and read with %s', async (_, command, program) => {
  const { stdout } = await promisify(execFile)(command, [program, ...pdf], { env: environment() });
  const [first, ...rest] = stdout.trim().split('\n');
  expect(first).toMatch(/: COMPLETED$/);
  expect(rest.join('\n')).toContain('release');
});

test('a postback with a wrong signature is 401, and a repeated one is 204 and dropped', async () => {
  const path = sitePath('hook');
  const source = await user.content('a', { postback_url: await script(path, [{ status: 204 }]) });
  await settledDeliveries(user, source.id);
  const [sent] = await received(path);
  if (sent === undefined) throw new Error('no postback came');

  const port = await freePort();
  const receiver = spawn(process.execPath, ['examples/receive-postbacks.ts'], {
    env: { ...environment(), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines: string[] = [];
    const output = createInterface(receiver.stdout);
    await once(output, 'line');
    output.on('line', (line) => lines.push(line));
    const deliver = async (body: string) => {
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      const headers = Object.fromEntries(names.map((name) => [name, sent.headers[name] ?? '']));
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    };
    expect(await deliver(sent.body.replace('completed', 'failed'))).toBe(401);
    expect(await deliver(sent.body)).toBe(204);
    expect(await deliver(sent.body)).toBe(204);
    receiver.kill();
    await once(output, 'close');
    expect(postbackSchema.parse(JSON.parse(sent.body)).data.id).toBe(source.id);
    expect(lines).toEqual([`source.completed ${source.id} generation 1`]);
  } finally {
    receiver.kill('SIGKILL');
  }
});
