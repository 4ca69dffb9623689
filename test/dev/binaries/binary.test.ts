/** With fakes of PATH, cache, Go and the archive site: shell scripts, folders, a local HTTP server. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import {
  type Archives,
  BinaryMissingError,
  cachePath,
  findBinary,
  pinnedVersion,
  type ToolName,
} from '../../../apps/dev/binaries/binary.ts';
import { afterTest, temporaryFolder } from '../temporary.ts';

interface Machine {
  environment: { PATH: string; HOME: string; XDG_CACHE_HOME: string };
  /** Puts a script on the machine's PATH. */
  install(name: string, script: string): Promise<string>;
  cached(name: ToolName): Promise<string>;
  lines: string[];
  /** Without `archives` no archive is pinned. */
  find(name: ToolName, archives?: Archives): Promise<string>;
}

async function script(path: string, body: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

async function machine(): Promise<Machine> {
  const folder = await temporaryFolder();
  const bin = join(folder, 'bin');
  await mkdir(bin);
  // The system's folders stay on PATH for tar and sh; they have no Temporal.
  const environment = { PATH: `${bin}:/usr/bin:/bin`, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
  const lines: string[] = [];
  return {
    environment,
    lines,
    install: (name, body) => script(join(bin, name), body),
    cached: async (name) => cachePath(name, (await pinnedVersion(name)).version, environment),
    find: (name, archives = {}) => findBinary(name, { environment, archives, report: (line) => lines.push(line) }),
  };
}

/** A fake `go` that "builds" a program that accepts --version, and counts its builds in a file. */
const GO = `[ "$1" = env ] && { echo go1.26.3; exit 0; }
while [ "$1" != -o ]; do shift; done
echo built >> "$(dirname "$2")/../builds"
sleep 0.3
printf '#!/bin/sh\\nexit 0\\n' > "$2" && chmod 755 "$2"`;
const OLD_GO = 'echo go1.25.9';

async function builds(environment: Machine['environment']): Promise<number> {
  const text = await readFile(join(environment.XDG_CACHE_HOME, 'context-workspace', 'builds'), 'utf8');
  return text.trim().split('\n').length;
}

const pinOf = (url: string, sha256: string): Archives => ({ [`${process.platform}-${process.arch}`]: { url, sha256 } });

/** Serves an archive with a program of this name; returns its pin and the requested paths. */
async function archiveSite(name: string): Promise<{ archives: Archives; requested: string[] }> {
  const folder = await temporaryFolder();
  await script(join(folder, name), 'exit 0');
  execFileSync('tar', ['-czf', 'archive.tar.gz', name], { cwd: folder });
  const archive = await readFile(join(folder, 'archive.tar.gz'));
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    response.end(archive);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  afterTest(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The site has no port.');
  const url = `http://127.0.0.1:${address.port}/${name}.tar.gz`;
  return { archives: pinOf(url, createHash('sha256').update(archive).digest('hex')), requested };
}

test('the pinned versions are read from tools/', async () => {
  expect(await pinnedVersion('temporal')).toEqual({
    version: '1.8.2',
    package: 'github.com/temporalio/cli/cmd/temporal',
  });
  expect(await pinnedVersion('versitygw')).toEqual({
    version: '1.7.0',
    package: 'github.com/versity/versitygw/cmd/versitygw',
  });
});

test('the cache folder follows the XDG Base Directory Specification', () => {
  const end = 'context-workspace/temporal-1.2.3/temporal';
  expect(cachePath('temporal', '1.2.3', { XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe(`/x/${end}`);
  expect(cachePath('temporal', '1.2.3', { XDG_CACHE_HOME: 'relative', HOME: '/h' })).toBe(`/h/.cache/${end}`);
  expect(cachePath('temporal', '1.2.3', { HOME: '/h' })).toBe(`/h/.cache/${end}`);
});

test('a binary on PATH is preferred to the cache', async () => {
  const { install, cached, find } = await machine();
  const installed = await install('temporal', '[ "$1" = --version ]');
  await script(await cached('temporal'), 'exit 0');
  await install('go', GO);
  expect(await find('temporal')).toBe(installed);
});

test('a binary on PATH that does not run is skipped for the cache', async () => {
  const { install, cached, find, lines } = await machine();
  await install('temporal', 'exit 1');
  const kept = await script(await cached('temporal'), 'exit 0');
  await install('go', GO);
  expect(await find('temporal')).toBe(kept);
  expect(lines).toEqual([]);
});

test('without PATH and cache, Go builds the binary once into the cache, and the reason is reported', async () => {
  const { install, cached, find, lines, environment } = await machine();
  await install('go', GO);
  expect(await find('versitygw')).toBe(await cached('versitygw'));
  expect(lines[0]).toMatch(/^Building versitygw.* once \(about a minute.*\), because none is on PATH and there is no /);
  expect(lines.at(-1)).toMatch(/^Built versitygw.* in \d+ s/);
  await find('versitygw');
  expect(await builds(environment)).toBe(1);
  // Neither a lock nor an unfinished binary is left.
  expect(await readdir(dirname(await cached('versitygw')))).toEqual(['versitygw']);
});

test('of two concurrent starts one builds and the other waits', async () => {
  const { install, cached, find, lines, environment } = await machine();
  await install('go', GO);
  const path = await cached('versitygw');
  expect(await Promise.all([find('versitygw'), find('versitygw')])).toEqual([path, path]);
  expect(await builds(environment)).toBe(1);
  expect(lines.filter((line) => line.startsWith('Waiting for another process'))).toHaveLength(1);
});

test.each([
  ['whose process is gone', '2147483646', new Date()],
  ['that was not touched for 60 s', String(process.pid), new Date(Date.now() - 60_000)],
])(
  'a lock %s is ignored',
  async (_, pid, touched) => {
    const { install, cached, find } = await machine();
    await install('go', GO);
    const path = await cached('versitygw');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.lock`, pid);
    await utimes(`${path}.lock`, touched, touched);
    await writeFile(join(dirname(path), 'unfinished-12345678'), 'half a binary of a build that was killed');
    expect(await find('versitygw')).toBe(path);
    expect(await readdir(dirname(path))).toEqual(['versitygw']);
    // The timeout is well below the age at which any untouched lock is ignored.
  },
  10_000,
);

test.each(['temporal', 'versitygw'] as const)('the archives of %s are of the pinned version', async (name) => {
  const { version } = await pinnedVersion(name);
  const file = new URL(`../../../tools/${name}/archives.json`, import.meta.url);
  const archives: Archives = JSON.parse(await readFile(file, 'utf8'));
  for (const { url } of Object.values(archives)) expect(url).toContain(`/v${version}/`);
});

test('a pinned archive is preferred to the build', async () => {
  const { install, cached, find, lines } = await machine();
  await install('go', GO);
  const { archives, requested } = await archiveSite('temporal');
  expect(await find('temporal', archives)).toBe(await cached('temporal'));
  expect(requested).toEqual(['/temporal.tar.gz']);
  expect(lines.join('\n')).not.toContain('Building');
});

test('an archive with another SHA-256 than pinned is deleted, and the binary is built', async () => {
  const { install, cached, find, lines } = await machine();
  await install('go', GO);
  const { archives } = await archiveSite('versitygw');
  const [{ url } = { url: '' }] = Object.values(archives);
  expect(await find('versitygw', pinOf(url, 'a'.repeat(64)))).toBe(await cached('versitygw'));
  expect(lines.find((line) => line.startsWith('Building'))).toMatch(/the download failed \(.* instead of a{64}\)/);
  expect(await readdir(dirname(await cached('versitygw')))).toEqual(['versitygw']);
});

test('an archive that is not pinned for this platform is not downloaded', async () => {
  const { install, find } = await machine();
  await install('go', OLD_GO);
  const { archives, requested } = await archiveSite('temporal');
  const elsewhere = Object.fromEntries(Object.values(archives).map((archive) => ['plan9-mips', archive]));
  await expect(find('temporal', elsewhere)).rejects.toThrow(BinaryMissingError);
  expect(requested).toEqual([]);
});

test('an archive site that does not respond delays the build by less than 8 s', async () => {
  const { install, cached, find } = await machine();
  await install('go', GO);
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('The site has no port.');
  afterTest(async () => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  const began = performance.now();
  const archives = pinOf(`http://127.0.0.1:${address.port}/temporal.tar.gz`, 'a'.repeat(64));
  expect(await find('temporal', archives)).toBe(await cached('temporal'));
  expect(performance.now() - began).toBeLessThan(8_000);
}, 15_000);

test('if all fails, the error has the failed ways, the program to install and the address to set', async () => {
  const { install, find, cached } = await machine();
  await install('go', OLD_GO);
  const found = find('temporal', pinOf('http://127.0.0.1:9/', 'a'.repeat(64)));
  await expect(found).rejects.toThrow(BinaryMissingError);
  await expect(found).rejects.toThrow(/none is on PATH.*the download failed.*is Go 1\.25, and Go 1\.26 is needed/);
  await expect(found).rejects.toThrow(/Install Go 1\.26 or newer, or the Temporal CLI .*, or set TEMPORAL_ADDRESS/);
  expect(await readdir(dirname(await cached('temporal')))).toEqual([]);
});

test('the error of a failed build has the end of its output', async () => {
  const { install, find } = await machine();
  await install('go', '[ "$1" = env ] && { echo go1.27.0; exit 0; }; echo no network >&2; exit 1');
  const found = find('versitygw');
  await expect(found).rejects.toThrow(/the build failed \(go build ended with 1: no network\).*set S3_ENDPOINT/);
});
