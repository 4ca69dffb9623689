/** A child process of the extraction pool: runs one task at a time and exits when its parent exits. */
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { limitsSchema } from '../limits.ts';
import { guardNativeCode, NativeCodeRefused } from '../readers/native-code.ts';
import { CHANNEL, receiveMessages, sendMessage } from './channel.ts';
import { failureOf, isTaskMessage, type Reply, type Request } from './messages.ts';
import { snapshotSharedObjects } from './shared-objects.ts';
import { createTasks, type TaskName, type TaskResult } from './tasks.ts';

const tasks = createTasks(limitsSchema.parse(JSON.parse(process.argv[2] ?? '')));
const channel = new Socket({ fd: CHANNEL });

// A busy main thread does not notice that the channel was closed, so a separate thread watches for the parent's exit.
// Not needed where the parent is process 1 of its namespace: the kernel then kills all processes of that namespace.
if (process.ppid !== 1) {
  const parentWatch = `
    const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
  `;
  new Worker(parentWatch, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  }).unref();
}

/** Whether all documents that were read here, including the current one, belong to one owner. */
let hasOneOwner = true;
let isExclusive = false;

guardNativeCode(async () => {
  if (!hasOneOwner) throw new NativeCodeRefused();
  await becomeExclusive();
});

channel.on('error', () => undefined).on('close', () => process.exit(0));

async function handle(request: Request): Promise<void> {
  const reply = await replyTo(request);
  if (!areSharedObjectsUnchanged()) await becomeExclusive();
  send(reply);
}

async function replyTo(request: Request): Promise<Reply<TaskName>> {
  try {
    return { kind: 'result', result: await perform(request) };
  } catch (error) {
    return error instanceof NativeCodeRefused ? { kind: 'reassign' } : { kind: 'failure', failure: failureOf(error) };
  }
}

/** Resolves once the message is written to the channel: a later crash of this process cannot lose it. */
async function becomeExclusive(): Promise<void> {
  if (isExclusive) return;
  isExclusive = true;
  await new Promise<void>((resolve) => send({ kind: 'exclusive' }, resolve));
}

function perform(request: Request): Promise<TaskResult<TaskName>> {
  switch (request.task) {
    case 'convert':
      return tasks.convert(request.input);
    case 'read':
      return tasks.read(request.input);
    case 'join':
      return tasks.join(request.input);
    case 'readJoined':
      return tasks.readJoined(request.input);
    case 'artifacts':
      return tasks.artifacts(request.input);
    case 'readArtifacts':
      return tasks.readArtifacts(request.input);
    case 'enrich':
      return tasks.enrich(request.input);
    case 'pageTitle':
      return tasks.pageTitle(request.input);
  }
}

function send(reply: Reply<TaskName>, onSent?: () => void): void {
  sendMessage(channel, reply, onSent);
}

/** Runs each code path once, so that modules are loaded and compiled before the first document. */
async function warmUp(): Promise<void> {
  const page = '<html lang="en"><body><article><h1>Warm</h1><p>Up, <a href="/">once</a>.</p></article></body></html>';
  for (const text of [page, '# Warm\n\nUp `once`.\n', 'Warm up once.']) {
    const content = { bytes: new TextEncoder().encode(text), contentType: null, filename: null, url: null };
    await tasks.read(content);
    await tasks.readArtifacts(content);
  }
}

await warmUp();
const areSharedObjectsUnchanged = snapshotSharedObjects();
// The worker is trusted: no length limit.
receiveMessages(channel, Number.POSITIVE_INFINITY, (message) => {
  if (!isTaskMessage(message)) return;
  hasOneOwner = message.hasOneOwner;
  void handle(message.request);
});
send({ kind: 'ready' });
