/** Runs in the place of child.ts as what a document has taken over: the text that it is given says what it does. */
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

/** Ends with the channel, which it holds together with standard error. */
const holder = 'new (require("node:net").Socket)({ fd: 3 }).on("close", () => process.exit()).resume()';

const acts: Readonly<Record<string, () => unknown>> = {
  answers: () => sendMessage(channel, { kind: 'result', result: [] }),
  'sends no message': () => channel.write('{"cmd":"NODE_HANDLE","type":"net.Native"}\n'),
  'sends an empty message': () => write(0, Buffer.alloc(0)),
  'sends a message that cannot be read': () => write(8, Buffer.alloc(8, 0x7f)),
  'announces 4 GiB': async () => {
    write(2 ** 32 - 1, Buffer.alloc(0));
    for (;;) if (!channel.write(Buffer.alloc(1024 * 1024))) await delay(1);
  },
  'sends something else': () => sendMessage(channel, { kind: 'NODE_HANDLE' }),
  'fails without a failure': () => sendMessage(channel, { kind: 'failure' }),
  'fails with half a failure': () => sendMessage(channel, { kind: 'failure', failure: { kind: 'other', stack: {} } }),
  'fails for a reason that is none': () =>
    sendMessage(channel, {
      kind: 'failure',
      failure: { kind: 'source', code: 'constructor', message: '', retryable: true },
    }),
  'is ready again': () => sendMessage(channel, { kind: 'ready' }),
  'answers, and then again and again': async () => {
    for (;;) {
      sendMessage(channel, { kind: 'result', result: [] });
      await delay(1);
    }
  },
  'answers, and then takes memory': async () => {
    sendMessage(channel, { kind: 'result', result: [] });
    const taken: Buffer[] = [];
    for (;;) {
      taken.push(Buffer.alloc(16 * 1024 * 1024, 1));
      await delay(1);
    }
  },
  'ends, and leaves a process with its streams': () => {
    spawn(process.execPath, ['-e', holder], { detached: true, stdio: ['ignore', 'ignore', 2, CHANNEL] }).unref();
    process.exit(0);
  },
};

receiveMessages(channel, Number.POSITIVE_INFINITY, (message) => {
  const act = Object.keys(acts).find((name) => JSON.stringify(message).includes(`"${name}"`));
  void acts[act ?? '']?.();
});
sendMessage(channel, { kind: 'ready' });
