/**
 * Isolation against code that has taken over a child: hostile.ts runs in its place, started by the pool's launcher.
 * With isolation every attack must fail; without it every attack must succeed, which proves that the attack works.
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

/** Attacks by system-call.ts, a program for x86-64 only. */
const bySystemCall = ['trace the worker', 'make a user namespace', 'make a mount namespace with it', 'change the root'];
/** Returns whether tracing is permitted; the security module Yama may restrict it to child processes. */
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
  /** Attacks that fail even without isolation, since the user lacks the permission. */
  forbidden: readonly string[];
}

const rootOnly = [
  'list the home of root',
  'change the root',
  'have capabilities',
  'change the mode of a device',
  'change the mode of the device that is standard input',
];
/** Attacks that the launcher prevents even without isolation. */
const neverPossible = ['signal the own process group', 'open a folder that the worker has inherited'];
const cases: Case[] = [
  {
    name: isRoot ? 'as root' : 'as a user',
    enter: asCaller,
    forbidden: [
      ...(isRoot ? [] : rootOnly),
      ...(mayTrace() ? [] : ['trace the worker', 'read the memory of the worker']),
    ],
  },
  ...(isRoot
    ? [
        { name: 'as a user', enter: asUnprivilegedUser, forbidden: rootOnly },
        // The user does not own the image's code.
        {
          name: 'as the worker of docker-compose.yml',
          enter: asContainer,
          forbidden: [...rootOnly, 'write to the code'],
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
  test('every attack fails in an isolated child', async () => {
    const { outcomes, code, stderr, signals } = await attack(one, 'namespaces');
    expect({ code, stderr, signals }).toEqual({ code: 0, stderr: '', signals: 0 });
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome === true)).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(36);
  });

  test('every attack succeeds in a child without isolation, except those that its user is not permitted', async () => {
    const { outcomes, signals } = await attack(one, 'none');
    const forbidden = [...neverPossible, ...one.forbidden, ...(isX64 ? [] : bySystemCall)];
    const failed = Object.entries(outcomes).filter(([name, outcome]) => outcome !== true && !forbidden.includes(name));
    expect(failed).toEqual([]);
    expect(signals).toBe(1);
  });
});
