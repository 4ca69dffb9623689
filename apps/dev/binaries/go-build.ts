/** Builds the Go programs that tools/ pins. */
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findExecutable, isExecutable } from './executable.ts';

const run = promisify(execFile);

/** Version that tools/<name>/go.mod require; an older Go would download a whole toolchain. */
const GO_MAJOR = 1;
const GO_MINOR = 26;
export const requiredGo = `Go ${GO_MAJOR}.${GO_MINOR}`;

const STANDARD_GO = '/usr/local/go/bin/go';
const PROGRESS_MS = 5000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path of a `go` command of the required version, or the reason why there is none. */
export async function findGo(
  environment: Environment,
  standard = STANDARD_GO,
): Promise<{ go: string; reason?: never } | { go?: never; reason: string }> {
  const found = await findExecutable('go', environment.PATH);
  const go = found ?? ((await isExecutable(standard)) ? standard : undefined);
  if (go === undefined) return { reason: 'there is no Go on this machine' };
  // "local" prevents the download of a newer toolchain just to print the version.
  const env = { ...environment, GOTOOLCHAIN: 'local' };
  const result = await run(go, ['env', 'GOVERSION'], { env, cwd: '/' }).catch(() => undefined);
  const version = /^go(\d+)\.(\d+)/.exec(result?.stdout ?? '');
  if (version === null) return { reason: `the version of ${go} is unknown` };
  const major = Number(version[1]);
  const minor = Number(version[2]);
  const isRecent = major === GO_MAJOR ? minor >= GO_MINOR : major > GO_MAJOR;
  return isRecent ? { go } : { reason: `${go} is Go ${major}.${minor}, and ${requiredGo} is needed` };
}

/** Returns the time since `start` (ms since 1970) as text: `12 s` or `3 min 5 s`. */
export function elapsed(start: number): string {
  const seconds = Math.round((Date.now() - start) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export interface GoBuild {
  go: string;
  /** Name of the program, for messages. */
  title: string;
  /** The Go package of the program. */
  package: string;
  /** The folder whose go.mod pins it. */
  folder: string;
  /** Path of the binary. */
  target: string;
  environment: Environment;
  report: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Runs `go build` and reports progress every 5 s.
 * @throws Error with the last lines of its output.
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
  // With -v, go prints each package that it compiles. A package path has no spaces, a message does.
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
