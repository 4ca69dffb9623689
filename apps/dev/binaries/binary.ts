/**
 * Where the binary of a server comes from that npm does not carry: PATH, the user's cache, the release archive whose
 * SHA-256 stands in tools/<name>/archives.json, a build by Go from tools/<name>; in this order. Whoever has the server's
 * address set asks for no binary at all.
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
import { answersVersion, findExecutable, isExecutable } from './executable.ts';
import { elapsed, findGo, goBuild, neededGo } from './go-build.ts';
import { userCache } from './user-cache.ts';

const run = promisify(execFile);

const TOOLS_FOLDER = fileURLToPath(new URL('../../../tools', import.meta.url));
/** Until the site of an archive answers; after that, a download takes as long as it takes. */
const CONNECT_LIMIT_MS = 5_000;
/** Begins the names of files and folders beside a cached binary that are no binary yet. */
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
  /** Told what takes long and why, and how far it is. */
  report: (line: string) => void;
  /** PATH, HOME and XDG_CACHE_HOME are looked at; the whole of it reaches `go build`. Default: that of the process. */
  environment?: Environment;
  /** Ends a build or a download that nobody waits for any more. */
  signal?: AbortSignal | undefined;
  /** The archives to choose from instead of those in tools/; for tests. */
  archives?: Archives;
}

/** Release archives by platform, named as Node does (`linux-x64`). Each holds the binary beside the rest, as a .tar.gz. */
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

/** Reads from tools/<name>/go.mod which version is pinned, and which package its `tool` line names. */
export async function pinnedVersion(name: ToolName): Promise<Pinned> {
  const file = join(TOOLS_FOLDER, name, 'go.mod');
  const text = await readFile(file, 'utf8');
  const module = tools[name].module.replaceAll('.', '\\.');
  const version = new RegExp(`^\\s*(?:require\\s+)?${module}\\s+v(\\S+)`, 'm').exec(text)?.[1];
  const goPackage = /^tool\s+(\S+)/m.exec(text)?.[1];
  if (version === undefined || goPackage === undefined) throw new Error(`${file} does not pin ${tools[name].module}.`);
  return { version, package: goPackage };
}

/** The place in the user's cache for one version of a binary, whether it is there or not. */
export function cachePath(name: ToolName, version: string, environment: Environment): string {
  return join(userCache(environment), `${name}-${version}`, name);
}

/** The pinned archive for this platform, or undefined: one that nobody has vouched for is not downloaded. */
async function pinnedArchive(name: ToolName, { archives }: FindBinaryOptions): Promise<Archives[string] | undefined> {
  const file = join(TOOLS_FOLDER, name, 'archives.json');
  const known = archives ?? archivesSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  return known[`${process.platform}-${process.arch}`];
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
  const limit = setTimeout(
    () => connecting.abort(new Error(`no answer within ${CONNECT_LIMIT_MS / 1000} s`)),
    CONNECT_LIMIT_MS,
  );
  const signals = [connecting.signal, ...(options.signal === undefined ? [] : [options.signal])];
  const folder = await mkdtemp(join(dirname(target), UNFINISHED));
  try {
    const response = await fetch(url, { signal: AbortSignal.any(signals) });
    clearTimeout(limit);
    if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
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
    const found = hash.digest('hex');
    if (found !== sha256) throw new Error(`${url} has the SHA-256 ${found} instead of ${sha256}`);
    await run('tar', ['-xzf', archive, '-C', folder, name]);
    const binary = join(folder, name);
    await chmod(binary, 0o755);
    if (!(await answersVersion(binary))) throw new Error('what was downloaded does not run on this machine');
    await rename(binary, target);
  } finally {
    clearTimeout(limit);
    await rm(folder, { recursive: true, force: true });
  }
  options.report(`Downloaded ${tools[name].title} in ${elapsed(started)}.`);
}

/** Whether the process that wrote `lock` is gone, or too stuck to touch it. */
async function isStale(lock: string): Promise<boolean> {
  const [held, text] = await Promise.all([stat(lock), readFile(lock, 'utf8')]).catch(() => []);
  if (held === undefined || text === undefined) return false;
  return !isAlive(Number(text)) || Date.now() - held.mtimeMs > LOCK_STALE_MS;
}

/** Takes `lock` for this process and returns what gives it back, or undefined while another has it. */
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

/** Downloads or builds the binary to `cached`, and returns why each way that was tried led nowhere. */
async function make(
  name: ToolName,
  pinned: Pinned,
  cached: string,
  why: string,
  options: FindBinaryOptions & { environment: Environment },
): Promise<string[]> {
  const tool = tools[name];
  const { report, environment, signal } = options;
  const folder = dirname(cached);
  // What a killed process left. We have the lock, so nobody works on these.
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
  const { go, reason } = await findGo(environment);
  if (go === undefined) return [...failures, reason];
  try {
    report(`Building ${tool.title} once (${tool.duration}), because ${[why, ...failures].join(' and ')}.`);
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
 * Returns the absolute path of a binary of the server, downloading or building it once where it must. Of several
 * processes that need it at once, one makes it and the others wait.
 * @throws BinaryMissingError naming what was tried, what to install and which address to set instead.
 */
export async function findBinary(name: ToolName, options: FindBinaryOptions): Promise<string> {
  const environment = options.environment ?? process.env;
  const installed = await findExecutable(name, environment.PATH);
  if (installed !== undefined && (await answersVersion(installed))) return installed;
  const reasons = [installed === undefined ? 'none is on PATH' : `${installed} --version fails`];

  const pinned = await pinnedVersion(name);
  const cached = cachePath(name, pinned.version, environment);
  await mkdir(dirname(cached), { recursive: true });
  const lock = `${cached}.lock`;
  let waited = false;
  while (!(await isExecutable(cached))) {
    const unlock = await tryLock(lock);
    if (unlock === undefined) {
      if (!waited) options.report(`Waiting for another process that makes ${cached}.`);
      waited = true;
      await delay(250, undefined, { signal: options.signal });
      continue;
    }
    try {
      // Another process may have finished between the look and the lock.
      if (await isExecutable(cached)) break;
      reasons.push(`there is no ${cached}`);
      reasons.push(...(await make(name, pinned, cached, reasons.join(' and '), { ...options, environment })));
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
      `Install ${neededGo} or newer, or ${install}, or set ${setting} to a server that runs.`,
  );
}
