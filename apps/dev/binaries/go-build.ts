/** Builds the Go programs that tools/ pins. */
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findExecutable, isExecutable } from './executable.ts';

const run = promisify(execFile);

/** What tools/<name>/go.mod ask for; older ones would fetch a whole toolchain on their own. */
const GO_MAJOR = 1;
const GO_MINOR = 26;
export const neededGo = `Go ${GO_MAJOR}.${GO_MINOR}`;

const STANDARD_GO = '/usr/local/go/bin/go';
const PROGRESS_MS = 5000;

type Environment = Readonly<Record<string, string | undefined>>;

/** The `go` command to build with, or the reason why there is none. */
export async function findGo(
  environment: Environment,
  standard = STANDARD_GO,
): Promise<{ go: string; reason?: never } | { go?: never; reason: string }> {
  const found = await findExecutable('go', environment.PATH);
  const go = found ?? ((await isExecutable(standard)) ? standard : undefined);
  if (go === undefined) return { reason: 'there is no Go on this machine' };
  // "local" keeps it from fetching a newer toolchain just to say its version.
  const env = { ...environment, GOTOOLCHAIN: 'local' };
  const answer = await run(go, ['env', 'GOVERSION'], { env, cwd: '/' }).catch(() => undefined);
  const version = /^go(\d+)\.(\d+)/.exec(answer?.stdout ?? '');
  if (version === null) return { reason: `${go} does not say its version` };
  const major = Number(version[1]);
  const minor = Number(version[2]);
  const isRecent = major === GO_MAJOR ? minor >= GO_MINOR : major > GO_MAJOR;
  return isRecent ? { go } : { reason: `${go} is Go ${major}.${minor}, and ${neededGo} is needed` };
}

/** Seconds or minutes since `start`, a time in milliseconds, for people. */
export function elapsed(start: number): string {
  const seconds = Math.round((Date.now() - start) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export interface GoBuild {
  go: string;
  /** What is built, for people. */
  title: string;
  /** The Go package of the program. */
  package: string;
  /** The folder whose go.mod pins it. */
  folder: string;
  /** Where the binary goes. */
  target: string;
  environment: Environment;
  report: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Runs `go build`, reporting every few seconds how far it is.
 * @throws Error with the end of its output.
 */
export async function goBuild(options: GoBuild): Promise<void> {
  const started = Date.now();
  const output: string[] = [];
  let compiled = 0;
  const child = spawn(
    options.go,
    ['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', options.target, options.package],
    {
      cwd: options.folder,
      env: options.environment,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    },
  );
  // With -v, go names each package as it compiles it; a package path has no spaces, a message does.
  createInterface({ input: child.stderr }).on('line', (line) => {
    output.push(line);
    if (output.length > 20) output.shift();
    if (!line.includes(' ')) compiled++;
  });
  const progress = setInterval(() => {
    options.report(`Building ${options.title}: ${elapsed(started)}, ${compiled} packages compiled.`);
  }, PROGRESS_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`go build ended with ${code}: ${output.join('\n')}`);
  } finally {
    clearInterval(progress);
  }
  options.report(`Built ${options.title} in ${elapsed(started)}.`);
}
