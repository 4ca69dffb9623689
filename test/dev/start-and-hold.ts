/** A process for tests to kill: starts servers, prints "started" and their settings, and waits. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from '../../apps/dev/servers/process.ts';
import { startServers } from '../../apps/dev/servers/servers.ts';

const [kind, dataFolder = '', script = ''] = process.argv.slice(2);
if (kind === 'process') {
  await startProcess({
    name: 'sample',
    dataFolder,
    command: '/bin/sh',
    args: ['-c', script, dataFolder],
    graceMs: 500,
    ready: async () => (await readFile(join(dataFolder, 'logs', 'sample.log'), 'utf8')).includes('ready'),
  });
  process.stdout.write('started\n');
} else {
  const { settings } = await startServers({
    dataFolder,
    durable: true,
    temporalUi: false,
    report: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`started ${JSON.stringify(settings)}\n`);
}
setInterval(() => undefined, 60_000);
