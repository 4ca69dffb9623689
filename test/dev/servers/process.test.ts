import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  awaitPredecessor,
  type ServerCommand,
  type ServerProcess,
  startProcess,
} from '../../../apps/dev/servers/process.ts';
import { afterTest, processesNaming, temporaryFolder, until } from '../temporary.ts';

/** Starts a shell script as the server; its `$0` is the data folder, which real servers have in their arguments. */
async function started(
  dataFolder: string,
  script: string,
  options: Partial<ServerCommand> = {},
): Promise<ServerProcess> {
  const server = await startProcess({
    name: 'sample',
    dataFolder,
    command: '/bin/sh',
    args: ['-c', script, dataFolder],
    ready: async () => (await readFile(join(dataFolder, 'logs', 'sample.log'), 'utf8')).includes('ready'),
    ...options,
  });
  afterTest(() => server.stop());
  return server;
}

const SERVE = 'echo ready; while :; do sleep 0.05; done';
const STUBBORN = `trap '' TERM INT; ${SERVE}`;

test('a server leads its own session, so that Ctrl-C does not reach it', async () => {
  const { pid } = await started(await temporaryFolder(), SERVE);
  // Fields 5 and 6 of proc_pid_stat(5): process group and session.
  const [, , group, session] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  expect([group, session]).toEqual([String(pid), String(pid)]);
});

test('stop ends the server and its watcher, and may be called twice', async () => {
  const dataFolder = await temporaryFolder();
  const server = await started(dataFolder, SERVE);
  // Between fork and exec its `sleep` has the command line of the server.
  await until('both are seen', async () => (await processesNaming(dataFolder)).length === 2);
  await Promise.all([server.stop(), server.stop()]);
  expect(await processesNaming(dataFolder)).toEqual([]);
});

test('a server that ignores its stop signal is killed after graceMs', async () => {
  const dataFolder = await temporaryFolder();
  const server = await started(dataFolder, STUBBORN, { graceMs: 200 });
  await server.stop();
  expect(await processesNaming(dataFolder)).toEqual([]);
});

test('stop sends the configured signal', async () => {
  const dataFolder = await temporaryFolder();
  const server = await started(dataFolder, `trap 'echo interrupted; exit 0' INT; ${SERVE}`, { stopSignal: 'SIGINT' });
  await server.stop();
  expect(await readFile(server.logFile, 'utf8')).toContain('interrupted');
});

test('a server that ends early is an error with the end of its log', async () => {
  const dataFolder = await temporaryFolder();
  const start = started(dataFolder, 'echo first; echo no such database >&2; exit 3');
  await expect(start).rejects.toThrow(
    /^sample ended with exit code 3 before it was ready\..*\nfirst\nno such database$/,
  );
});

test('a server that is not ready within readyWithinMs is stopped and is an error', async () => {
  const dataFolder = await temporaryFolder();
  const start = started(dataFolder, SERVE, { ready: async () => false, readyWithinMs: 100 });
  await expect(start).rejects.toThrow('sample was not ready within 0.1 s');
  expect(await processesNaming(dataFolder)).toEqual([]);
});

test('a server that ends unexpectedly is reported', async () => {
  const lines: string[] = [];
  const server = await started(await temporaryFolder(), SERVE, { report: (line) => lines.push(line) });
  process.kill(server.pid, 'SIGKILL');
  await until('the end is reported', async () => lines.length > 0);
  expect(lines).toEqual([expect.stringMatching(/^sample ended unexpectedly \(SIGKILL\)\. Its log: .*sample\.log$/)]);
});

test('the log of the previous start is kept', async () => {
  const dataFolder = await temporaryFolder();
  await (await started(dataFolder, `echo the first; ${SERVE}`)).stop();
  await started(dataFolder, SERVE);
  expect(await readFile(join(dataFolder, 'logs', 'sample.previous.log'), 'utf8')).toContain('the first');
});

test('a server gets PATH and its own environment, but no other variable of ours', async () => {
  process.env.PGDATA = 'elsewhere';
  afterTest(async () => {
    delete process.env.PGDATA;
  });
  const server = await started(await temporaryFolder(), `echo "[$PGDATA][$OWN][\${PATH:+path}]"; ${SERVE}`, {
    environment: { OWN: 'given' },
  });
  expect(await readFile(server.logFile, 'utf8')).toContain('[][given][path]');
});

test('a data folder with a running server is rejected', async () => {
  const dataFolder = await temporaryFolder();
  await started(dataFolder, SERVE);
  await expect(awaitPredecessor(dataFolder, 'sample')).rejects.toThrow(
    `${dataFolder} is in use: process ${process.pid} runs sample on it.`,
  );
});

test.each([
  ['immediately if it handles the signal', SERVE],
  ['after graceMs if it ignores the signal', STUBBORN],
])('when the starting process is killed, the server ends %s, and the next start waits for that', async (_, script) => {
  const dataFolder = await temporaryFolder();
  const parent = spawn(
    process.execPath,
    [join(import.meta.dirname, '../start-and-hold.ts'), 'process', dataFolder, script],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  afterTest(async () => {
    parent.kill('SIGKILL');
    await until('the server is gone', async () => (await processesNaming(dataFolder)).length === 0);
  });
  let output = '';
  parent.stdout.on('data', (data) => {
    output += String(data);
  });
  await until('the server is started', async () => output.includes('started'));
  expect(await processesNaming(dataFolder)).toHaveLength(3);
  const killed = once(parent, 'exit');
  parent.kill('SIGKILL');
  await killed;
  await awaitPredecessor(dataFolder, 'sample');
  await until('the watcher is gone', async () => (await processesNaming(dataFolder)).length === 0);
});
