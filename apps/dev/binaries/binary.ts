/**
 * Binaries of servers that are not on npm. Sources, in this order: PATH, the user's cache, the release archive that
 * tools/<name>/archives.json pins by SHA-256, a Go build of tools/<name>. A server whose address is set needs none.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { isAlive } from '../servers/process.ts';
import { errorCode, errorText } from './error-parts.ts';
import { findExecutable, isExecutable, runsVersion } from './executable.ts';
import { elapsed, findGo, goBuild, requiredGo } from './go-build.ts';
import { userCache } from './user-cache.ts';

const run = promisify(execFile);

const TOOLS_FOLDER = fileURLToPath(new URL('../../../tools', import.meta.url));
/** Timeout of the response headers of a download; its body has none. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Prefix of unfinished files and folders beside a cached binary. */
const UNFINISHED = 'unfinished-';
const LOCK_TOUCH_MS = 5000;
const LOCK_STALE_MS = 30_000;

const tools = {
  temporal: {
    title: 'the Temporal dev server',
    module: 'github.com/temporalio/cli',
    duration: 'about five minutes on two cores',
    install: 'the Temporal CLI (https://docs.temporal.io/cli)',
    setting: 'TEMPORAL_ADDRESS',
  },
  versitygw: {
    title: 'versitygw, the S3 server',
    module: 'github.com/versity/versitygw',
    duration: 'about a minute on two cores',
    install: 'versitygw (https://github.com/versity/versitygw)',
    setting: 'S3_ENDPOINT',
  },
} as const;

export type ToolName = keyof typeof tools;

type Environment = Readonly<Record<string, string | undefined>>;

export interface FindBinaryOptions {
  /** Receives progress messages of downloads and builds. */
  report: (line: string) => void;
  /** PATH, HOME and XDG_CACHE_HOME are read; `go build` receives all of it. Default: process.env. */
  environment?: Environment;
  /** Aborts a build or download. */
  signal?: AbortSignal | undefined;
  /** Replaces the archives of tools/<name>/archives.json; for tests. */
  archives?: Archives;
}

/** Release archives (.tar.gz that contain the binary) by Node's platform and architecture (`linux-x64`). */
const archivesSchema = z.record(
  z.string(),
  z.strictObject({ url: z.url(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
);
export type Archives = z.infer<typeof archivesSchema>;

export class BinaryMissingError extends Error {
  override readonly name = 'BinaryMissingError';
}

interface Pinned {
  version: string;
  /** The Go package that is built. */
  package: string;
}

/** Reads the pinned version and the package of the `tool` line from tools/<name>/go.mod. */
export async function pinnedVersion(name: ToolName): Promise<Pinned> {
  const file = join(TOOLS_FOLDER, name, 'go.mod');
  const text = await readFile(file, 'utf8');
  const module = tools[name].module.replaceAll('.', '\\.');
  const version = new RegExp(`^\\s*(?:require\\s+)?${module}\\s+v(\\S+)`, 'm').exec(text)?.[1];
  const goPackage = /^tool\s+(\S+)/m.exec(text)?.[1];
  if (version === undefined || goPackage === undefined) throw new Error(`${file} does not pin ${tools[name].module}.`);
  return { version, package: goPackage };
}

/** Returns the path of one version of a binary in the user's cache; it may not exist. */
export function cachePath(name: ToolName, version: string, environment: Environment): string {
  return join(userCache(environment), `${name}-${version}`, name);
}

/** Returns the pinned archive for this platform, if any; an archive without a pinned SHA-256 is never downloaded. */
async function pinnedArchive(name: ToolName, { archives }: FindBinaryOptions): Promise<Archives[string] | undefined> {
  const file = join(TOOLS_FOLDER, name, 'archives.json');
  const pinned = archives ?? archivesSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  return pinned[`${process.platform}-${process.arch}`];
}

async function download(
  name: ToolName,
  { url, sha256 }: Archives[string],
  target: string,
  options: FindBinaryOptions,
): Promise<void> {
  const started = Date.now();
  options.report(`Downloading ${tools[name].title} from ${url}.`);
  const connecting = new AbortController();
  const timeout = setTimeout(
    () => connecting.abort(new Error(`no response within ${CONNECT_TIMEOUT_MS / 1000} s`)),
    CONNECT_TIMEOUT_MS,
  );
  const signals = [connecting.signal, ...(options.signal === undefined ? [] : [options.signal])];
  const folder = await mkdtemp(join(dirname(target), UNFINISHED));
  try {
    const response = await fetch(url, { signal: AbortSignal.any(signals) });
    clearTimeout(timeout);
    if (!response.ok || response.body === null) throw new Error(`${url} returned status ${response.status}`);
    const archive = join(folder, 'archive.tar.gz');
    const hash = createHash('sha256');
    await pipeline(
      Readable.fromWeb(response.body),
      async function* (chunks) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(archive),
    );
    const actual = hash.digest('hex');
    if (actual !== sha256) throw new Error(`${url} has the SHA-256 ${actual} instead of ${sha256}`);
    await run('tar', ['-xzf', archive, '-C', folder, name]);
    const binary = join(folder, name);
    await chmod(binary, 0o755);
    if (!(await runsVersion(binary))) throw new Error('the downloaded binary does not run on this machine');
    await rename(binary, target);
  } finally {
    clearTimeout(timeout);
    await rm(folder, { recursive: true, force: true });
  }
  options.report(`Downloaded ${tools[name].title} in ${elapsed(started)}.`);
}

/** Whether the process that wrote `lock` is dead, or has not touched it for LOCK_STALE_MS. */
async function isStale(lock: string): Promise<boolean> {
  const [status, text] = await Promise.all([stat(lock), readFile(lock, 'utf8')]).catch(() => []);
  if (status === undefined || text === undefined) return false;
  return !isAlive(Number(text)) || Date.now() - status.mtimeMs > LOCK_STALE_MS;
}

/** Acquires `lock` for this process and returns its release function, or undefined while another process has it. */
async function tryLock(lock: string): Promise<(() => Promise<void>) | undefined> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if (await isStale(lock)) await rm(lock, { force: true });
    return undefined;
  }
  const touch = setInterval(() => utimes(lock, new Date(), new Date()).catch(() => undefined), LOCK_TOUCH_MS);
  return async () => {
    clearInterval(touch);
    await rm(lock, { force: true });
  };
}

/** Downloads or builds the binary to `cached`. Returns the reasons of failure; empty on success. */
async function install(
  name: ToolName,
  pinned: Pinned,
  cached: string,
  reason: string,
  options: FindBinaryOptions & { environment: Environment },
): Promise<string[]> {
  const tool = tools[name];
  const { report, environment, signal } = options;
  const folder = dirname(cached);
  // Leftovers of a killed process; we have the lock, so no other process uses them.
  for (const entry of await readdir(folder)) {
    if (entry.startsWith(UNFINISHED)) await rm(join(folder, entry), { recursive: true, force: true });
  }
  const unfinished = join(folder, `${UNFINISHED}${randomBytes(4).toString('hex')}`);
  const failures: string[] = [];

  const archive = await pinnedArchive(name, options);
  if (archive !== undefined) {
    try {
      await download(name, archive, unfinished, options);
      await rename(unfinished, cached);
      return [];
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(`the download failed (${errorText(error)})`);
    }
  }
  const { go, reason: noGo } = await findGo(environment);
  if (go === undefined) return [...failures, noGo];
  try {
    report(`Building ${tool.title} once (${tool.duration}), because ${[reason, ...failures].join(' and ')}.`);
    const source = { title: tool.title, package: pinned.package, folder: join(TOOLS_FOLDER, name) };
    await goBuild({ ...source, go, target: unfinished, environment, report, signal });
    await rename(unfinished, cached);
    return [];
  } catch (error) {
    signal?.throwIfAborted();
    failures.push(`the build failed (${errorText(error)})`);
  }
  return failures;
}

/**
 * Returns the absolute path of a server's binary; downloads or builds it once if necessary. Of several concurrent
 * processes, one does that and the others wait.
 * @throws BinaryMissingError with the reasons, what to install, and which address to set instead.
 */
export async function findBinary(name: ToolName, options: FindBinaryOptions): Promise<string> {
  const environment = options.environment ?? process.env;
  const installed = await findExecutable(name, environment.PATH);
  if (installed !== undefined && (await runsVersion(installed))) return installed;
  const reasons = [installed === undefined ? 'none is on PATH' : `${installed} --version fails`];

  const pinned = await pinnedVersion(name);
  const cached = cachePath(name, pinned.version, environment);
  await mkdir(dirname(cached), { recursive: true });
  const lock = `${cached}.lock`;
  let waited = false;
  while (!(await isExecutable(cached))) {
    const unlock = await tryLock(lock);
    if (unlock === undefined) {
      if (!waited) options.report(`Waiting for another process that downloads or builds ${cached}.`);
      waited = true;
      await delay(250, undefined, { signal: options.signal });
      continue;
    }
    try {
      // Another process may have finished between the check and the lock.
      if (await isExecutable(cached)) break;
      reasons.push(`there is no ${cached}`);
      reasons.push(...(await install(name, pinned, cached, reasons.join(' and '), { ...options, environment })));
    } finally {
      await unlock();
    }
    if (!(await isExecutable(cached))) throw missing(name, reasons);
  }
  return cached;
}

function missing(name: ToolName, reasons: readonly string[]): BinaryMissingError {
  const { title, install, setting } = tools[name];
  return new BinaryMissingError(
    `There is no binary of ${title}: ${reasons.join(', ')}. ` +
      `Install ${requiredGo} or newer, or ${install}, or set ${setting} to a server that runs.`,
  );
}
