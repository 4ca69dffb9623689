/** `npm start` as a process, with its data in a temporary folder and on free ports. */
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort, freePorts } from '../../apps/dev/servers/ports.ts';
import { send } from '../support/client.ts';
import { until } from '../support/until.ts';
import { type Spawned, spawned } from './spawned.ts';
import { afterTest, processesNaming, temporaryFolder } from './temporary.ts';

const TIMEOUT_MS = 180_000;
const LAST_LINE = 'Ctrl-C stops everything';

async function freePortSettings(): Promise<Record<string, string>> {
  const names = ['API_PORT', 'POSTGRES_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'S3_PORT', 'SMTP_PORT'];
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
}

/** The value in the row `name` of the printed table. */
function shown(start: Spawned, name: string): string {
  const value = new RegExp(`^ {2}${name} +(\\S+)`, 'm').exec(start.output())?.[1];
  if (value === undefined) throw new Error(`There is no row ${name} in:\n${start.output()}`);
  return value;
}

async function timed(begin: () => Spawned): Promise<{ start: Spawned; tookMs: number }> {
  const begun = Date.now();
  const start = begin();
  await start.prints(LAST_LINE);
  return { start, tookMs: Date.now() - begun };
}

test(
  'Ctrl-C stops all parts in order; the next start is ready within 10 s with the same data and key',
  async () => {
    const folder = await temporaryFolder();
    const ports = await freePortSettings();
    const settings = { DATA_FOLDER: folder, ...ports };

    const first = spawned('start.ts', folder, settings);
    await first.prints(LAST_LINE);
    const api = shown(first, 'API');
    const key = shown(first, 'API key');
    expect(api).toBe(`http://127.0.0.1:${ports.API_PORT}/v1`);
    expect(shown(first, 'Temporal UI')).toBe(`http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`);
    expect((await send(shown(first, 'Health'), 'GET')).body.status).toBe('ok');
    expect((await fetch(shown(first, 'Temporal UI'))).status).toBe(200);
    expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600);

    const space = await send(`${api}/spaces`, 'POST', { key, body: { name: 'Kept' } });
    const created = await send(`${api}/spaces/${space.body.data.id}/sources`, 'POST', {
      key,
      body: { type: 'CONTENT', initial_data: { data: '# Kept' }, instructions: {} },
    });
    const path = `/sources/${created.body.data.id}`;
    await until('the source is completed', async () => {
      return (await send(`${api}${path}`, 'GET', { key })).body.data.status === 'COMPLETED';
    });

    first.signal('SIGINT');
    expect(await first.ended).toBe(0);
    const stopped = [...first.output().matchAll(/^Stopped (.*) \(/gm)].map(([, name]) => name);
    expect(stopped).toEqual(['the API', 'the worker', 'mail, storage, Temporal and PostgreSQL']);
    expect(await processesNaming(folder)).toEqual([]);

    const second = await timed(() => spawned('start.ts', folder, settings));
    expect(second.tookMs).toBeLessThan(10_000);
    expect(shown(second.start, 'API key')).toBe(key);
    expect((await send(`${api}${path}/content`, 'GET', { key })).body.data.markdown).toContain('# Kept');

    // A part that ends unexpectedly ends the whole start.
    const record = JSON.parse(await readFile(join(folder, 'run', 'worker.json'), 'utf8'));
    process.kill(z.object({ pid: z.int() }).parse(record).pid, 'SIGKILL');
    expect(await second.start.ended).toBe(1);
    expect(second.start.output()).toContain('worker ended unexpectedly (SIGKILL)');
    expect(await processesNaming(folder)).toEqual([]);
  },
  TIMEOUT_MS,
);

test('a port in use is reported with its setting before any server starts', async () => {
  const folder = await temporaryFolder();
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(port, '127.0.0.1', resolve);
  });
  afterTest(async () => {
    other.close();
  });
  const settings = { DATA_FOLDER: folder, ...(await freePortSettings()), API_PORT: String(port) };
  const start = spawned('start.ts', folder, settings);
  expect(await start.ended).toBe(1);
  expect(start.output()).toBe(
    `Port ${port} of API_PORT is in use. Stop that server, or set API_PORT to another port.\n`,
  );
});

test('invalid settings, also of the service, are reported before any server starts', async () => {
  const folder = await temporaryFolder();
  const start = spawned('start.ts', folder, { DATA_FOLDER: folder, EGRESS_ALLOW: 'localhost', S3_PORT: 'x' });
  expect(await start.ended).toBe(78);
  expect(start.output()).toContain('  EGRESS_ALLOW: "localhost" is not address:port\n');
  expect(start.output()).toContain('  S3_PORT: ');
});
