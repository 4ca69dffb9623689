/**
 * Code that has taken over a child: hostile.ts runs in its place, started by the launcher of the pool. Without isolation each
 * attack succeeds, which shows that it is one; with it each fails.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { asCaller, asContainer, asUnprivilegedUser, type Planted, plant, type Surroundings } from './surroundings.ts';
import { writeSystemCallProgram } from './system-call.ts';
import { INHERITED } from './targets.ts';

const secret = `secret-${process.pid}-of-the-worker`;
const isRoot = process.getuid?.() === 0;
const reportSchema = z.object({
  outcomes: z.record(z.string(), z.union([z.literal(true), z.string()])),
  code: z.int().nullable(),
  stderr: z.string(),
  signals: z.int(),
});

/** The system calls are made by a program for x86-64. */
const bySystemCall = ['trace the worker', 'make a user namespace', 'make a mount namespace with it', 'change the root'];
/** A security module may forbid all but a process's own children to be traced (Yama). */
function mayTrace(): boolean {
  try {
    return isRoot || readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8').trim() === '0';
  } catch {
    return true;
  }
}

interface Case {
  name: string;
  enter: () => Promise<Surroundings>;
  /** Attacks that fail without isolation too, since the user may not do that. */
  refused: readonly string[];
}

const rootAlone = [
  'list the home of root',
  'change the root',
  'have capabilities',
  'change the mode of a device',
  'change the mode of the device that is standard input',
];
/** Fail without isolation too: the launcher sees to that. */
const neverPossible = ['signal the own process group', 'open a folder that the worker has inherited'];
const cases: Case[] = [
  {
    name: isRoot ? 'as root' : 'as a user',
    enter: asCaller,
    refused: [
      ...(isRoot ? [] : rootAlone),
      ...(mayTrace() ? [] : ['trace the worker', 'read the memory of the worker']),
    ],
  },
  ...(isRoot
    ? [
        { name: 'as a user', enter: asUnprivilegedUser, refused: rootAlone },
        // The image's code is not the user's.
        {
          name: 'as the worker of docker-compose.yml',
          enter: asContainer,
          refused: [...rootAlone, 'write to the code'],
        },
      ]
    : []),
];

let planted: Planted;
let surroundings: Surroundings | undefined;
let worker: ChildProcess | undefined;
beforeEach(async () => {
  planted = await plant(secret, writeSystemCallProgram);
});
afterEach(async () => {
  if (worker?.exitCode === null && worker.kill('SIGKILL')) await once(worker, 'exit');
  await surroundings?.leave();
  surroundings = undefined;
  await planted.remove();
});

async function attack({ enter }: Case, isolation: 'namespaces' | 'none'): Promise<z.infer<typeof reportSchema>> {
  surroundings = await enter();
  const { command, project, environment } = surroundings;
  const [program = '', ...args] = [
    ...command,
    '--disable-warning=ExperimentalWarning',
    join(project, 'test/extraction/isolation/worker.ts'),
    isolation,
    join(project, planted.file),
    join(project, planted.folder),
  ];
  const folder = openSync('/', 'r');
  const started = spawn(program, args, {
    env: { PATH: process.env.PATH, ...environment, SECRET_OF_THE_WORKER: secret },
    stdio: ['ignore', 'pipe', 'pipe', ...Array.from({ length: INHERITED - 3 }, () => 'ignore' as const), folder],
  });
  closeSync(folder);
  worker = started;
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    started[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  await once(started, 'close');
  if (output.stdout === '') throw new Error(output.stderr);
  return reportSchema.parse(JSON.parse(output.stdout));
}

const isX64 = process.arch === 'x64';

describe.each(cases)('$name', (one) => {
  test('every attack fails in a child that is isolated', async () => {
    const { outcomes, code, stderr, signals } = await attack(one, 'namespaces');
    expect({ code, stderr, signals }).toEqual({ code: 0, stderr: '', signals: 0 });
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome === true)).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(36);
  });

  test('every attack succeeds in a child that is not, but for what its user may not do', async () => {
    const { outcomes, signals } = await attack(one, 'none');
    const refused = [...neverPossible, ...one.refused, ...(isX64 ? [] : bySystemCall)];
    const failed = Object.entries(outcomes).filter(([name, outcome]) => outcome !== true && !refused.includes(name));
    expect(failed).toEqual([]);
    expect(signals).toBe(1);
  });
});
