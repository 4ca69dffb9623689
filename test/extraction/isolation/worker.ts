/**
 * A worker with secrets, servers and files that starts the hostile module as the pool starts its children, and prints
 * the results. Arguments: the isolation, a file next to the code that contains the secret, a folder of the code.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { receiveMessages, sendMessage } from '../../../extraction/pool/channel.ts';
import { launch } from '../../../extraction/pool/launch.ts';
import { INHERITED, type Targets } from './targets.ts';

const [isolation, fileBesideCode, codeFolder] = z
  .tuple([z.enum(['namespaces', 'none']), z.string(), z.string()])
  .parse(process.argv.slice(2));
const secret = z.string().min(8).parse(process.env.SECRET_OF_THE_WORKER);

const temporary = mkdtempSync(join(tmpdir(), 'isolation-'));
const dataFolder = join(temporary, 'data');
mkdirSync(dataFolder);
const hiddenFiles = [fileBesideCode, join(dataFolder, 'key'), join(temporary, 'upload')];
for (const file of hiddenFiles.slice(1)) writeFileSync(file, secret, { mode: 0o600 });
const compiled = join(temporary, 'compiled');
mkdirSync(compiled);

const tcp = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
const byPath = createServer((socket) => socket.end()).listen(join(temporary, 'socket'));
const abstractSocket = `\0isolation-${process.pid}`;
const abstract = createServer((socket) => socket.end()).listen(abstractSocket);
const udp = createSocket('udp4').on('message', (query, { port, address }) => {
  // Sets the header of a DNS response with the code NXDOMAIN (RFC 1035, 4.1.1).
  if (query.length > 3) query.set([0x81, 0x83], 2);
  udp.send(query, port, address);
});
udp.bind(0, '127.0.0.1');
await Promise.all([tcp, byPath, abstract, udp].map((server) => once(server, 'listening')));
const tcpAddress = z.object({ port: z.int() }).parse(tcp.address());
let signals = 0;
for (const signal of ['SIGUSR2', 'SIGURG'] as const) {
  process.on(signal, () => {
    signals += 1;
  });
}

const { child, channel } = launch({
  isolation,
  module: 'test/extraction/isolation/hostile.ts',
  execArgv: ['--disable-warning=ExperimentalWarning'],
  compileCache: { folder: compiled, isWritable: false },
});
let stderr = '';
child.stderr?.setEncoding('utf8').on('data', (text: string) => {
  stderr += text;
});
const ended = once(child, 'close');
const isIsolated = isolation === 'namespaces';
const targets: Targets = {
  pid: process.pid,
  secret,
  hiddenFiles,
  codeFolders: [codeFolder, '/project/node_modules', '/project/extraction'].slice(0, isIsolated ? 3 : 1),
  systemCall: isIsolated ? codeFolder.replace(/^.*\/node_modules\//, '/project/node_modules/') : codeFolder,
  tcpPort: tcpAddress.port,
  udpPort: udp.address().port,
  socketPath: join(temporary, 'socket'),
  abstractSocket,
  inherited: INHERITED,
  isIsolated,
};
const messages: unknown[] = [];
receiveMessages(channel, 1024 * 1024, (message) => {
  messages.push(message);
  if (message === 'ready') sendMessage(channel, { ...targets, systemCall: join(targets.systemCall, 'system-call') });
  else channel.end();
});
await ended;
rmSync(temporary, { recursive: true });
process.stdout.write(JSON.stringify({ outcomes: messages[1], code: child.exitCode, stderr, signals }));
process.exit(0);
