/** Runs in place of child.ts as a child that a document has taken over; the text of the task selects its behavior. */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CHANNEL, receiveMessages, sendMessage } from '../../../extraction/pool/channel.ts';

const channel = new Socket({ fd: CHANNEL });
channel.on('error', () => undefined).on('close', () => process.exit(0));

function write(length: number, body: Uint8Array): void {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(length);
  channel.write(Buffer.concat([header, body]));
}

/** A process that keeps the channel and standard error open, and exits when the channel closes. */
const lingeringProcess = 'new (require("node:net").Socket)({ fd: 3 }).on("close", () => process.exit()).resume()';

const behaviors: Readonly<Record<string, () => unknown>> = {
  responds: () => sendMessage(channel, { kind: 'result', result: [] }),
  'sends no message': () => channel.write('{"cmd":"NODE_HANDLE","type":"net.Native"}\n'),
  'sends an empty message': () => write(0, Buffer.alloc(0)),
  'sends an invalid message': () => write(8, Buffer.alloc(8, 0x7f)),
  'announces 4 GiB': async () => {
    write(2 ** 32 - 1, Buffer.alloc(0));
    for (;;) if (!channel.write(Buffer.alloc(1024 * 1024))) await delay(1);
  },
  'sends an unknown message': () => sendMessage(channel, { kind: 'NODE_HANDLE' }),
  'fails without a failure': () => sendMessage(channel, { kind: 'failure' }),
  'fails with half a failure': () => sendMessage(channel, { kind: 'failure', failure: { kind: 'other', stack: {} } }),
  'fails with an unknown code': () =>
    sendMessage(channel, {
      kind: 'failure',
      failure: { kind: 'source', code: 'constructor', message: '', retryable: true },
    }),
  'is ready again': () => sendMessage(channel, { kind: 'ready' }),
  'responds repeatedly': async () => {
    for (;;) {
      sendMessage(channel, { kind: 'result', result: [] });
      await delay(1);
    }
  },
  'responds and then allocates memory': async () => {
    sendMessage(channel, { kind: 'result', result: [] });
    const allocated: Buffer[] = [];
    for (;;) {
      allocated.push(Buffer.alloc(16 * 1024 * 1024, 1));
      await delay(1);
    }
  },
  'exits and leaves a process with its streams': () => {
    spawn(process.execPath, ['-e', lingeringProcess], {
      detached: true,
      stdio: ['ignore', 'ignore', 2, CHANNEL],
    }).unref();
    process.exit(0);
  },
};

receiveMessages(channel, Number.POSITIVE_INFINITY, (message) => {
  const behavior = Object.keys(behaviors).find((name) => JSON.stringify(message).includes(`"${name}"`));
  void behaviors[behavior ?? '']?.();
});
sendMessage(channel, { kind: 'ready' });
