/** `user export`: all stored data of a user, as files for people and programs. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openPromise } from 'yauzl';
import { z } from 'zod';
import { folderName } from '../../apps/admin/export/paths.ts';
import { createZip } from '../../apps/admin/export/zip-writer.ts';
import { openDatabase } from '../../db/orm.ts';
import { newUser, script, sitePath, type TestUser, upload } from '../support/client.ts';
import { stack } from '../support/stack.ts';

const admin = fileURLToPath(new URL('../../apps/admin/main.ts', import.meta.url));
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function target(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'context-workspace-export-'));
  folders.push(folder);
  return join(folder, 'export.zip');
}

function run(line: string[], nodeOptions: string[] = []) {
  const env = { PATH: process.env.PATH ?? '', ...stack().settings };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [...nodeOptions, admin, ...line], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Files of a ZIP by path, read by yauzl and not by our own code. */
async function readZip(file: string): Promise<Map<string, Buffer>> {
  const zip = await openPromise(file, { lazyEntries: true });
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    expect(files.has(entry.fileName)).toBe(false);
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  }
  return files;
}

const manifestSchema = z.object({
  format: z.literal(1),
  user: z.object({ email: z.string() }),
  counts: z.record(z.string(), z.int()),
  files: z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string() })),
});

async function exportOf(user: TestUser, email: string): Promise<Map<string, Buffer>> {
  const file = await target();
  const ended = await run(['user', 'export', email, '--to', file]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(file, '..'))).toEqual(['export.zip']);
  expect(user.userId).not.toBe('');
  return readZip(file);
}

const json = (bytes: Buffer | undefined) => JSON.parse(bytes?.toString('utf8') ?? 'null');

test('an export has spaces, collections, sources, contents, contexts and artifacts as in the API', async () => {
  const email = `${randomUUID()}@example.com`;
  const user = await newUser({ email });
  const base = `/v1/spaces/${user.spaceId}`;
  const top = (await user.call('POST', `${base}/collections`, { name: 'Top', parentId: null })).body.data;
  await user.call('POST', `${base}/collections`, { name: 'Below', parentId: top.id });
  const text = '# Chat\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |';
  const chat = await user.create({
    type: 'CONTENT',
    name: '../../etc/passwd: <Chat>\u202e "1" \\ / | ?*',
    initial_data: { data: text, from: 'me' },
    metadata: { team: 'docs' },
    collectionId: top.id,
  });
  const fileBytes = new TextEncoder().encode('# A file\n\nWith words.\n');
  const fileKey = await upload(user, 'notes.md', 'text/markdown', fileBytes);
  const file = await user.create({ type: 'FILE', name: '...', initial_data: { data: fileKey } });
  const page = await user.create({
    type: 'URI',
    initial_data: { data: await script(sitePath('page'), [{ body: '<title>P</title><p>Words of a page.</p>' }]) },
  });
  const missing = await user.create({
    type: 'URI',
    initial_data: { data: await script(sitePath('missing'), [{ status: 404 }]) },
  });
  const all = await user.create({ type: 'COMPOSITION', initial_data: { data: [chat.id, file.id] } });
  const done = [chat, file, page, all];
  for (const { id } of done) await user.reach(id, 'COMPLETED');
  await user.reach(missing.id, 'FAILED');
  await user.call('DELETE', `/v1/sources/${page.id}`);
  await user.call('POST', '/v1/support/tickets', { type: 'billing', reply_address: email, message: 'How much?' });

  const files = await exportOf(user, email);
  const paths = [...files.keys()];
  const folderOf = (id: string) => {
    const found = paths.filter((path) => path.includes(id) && path.endsWith('/source.json'));
    expect(found).toHaveLength(1);
    return found[0]?.slice(0, -'source.json'.length) ?? '';
  };
  const at = (id: string, name: string) => files.get(`${folderOf(id)}${name}`);

  for (const { id } of [chat, file, all]) {
    expect(at(id, 'content.md')?.toString('utf8')).toBe(await user.markdown(id));
    const { chunks } = (await user.call('GET', `/v1/sources/${id}/context?limit=100`)).body.data;
    expect(chunks.length).toBeGreaterThan(0);
    expect(json(at(id, 'context.json')).chunks).toEqual(chunks);
  }
  expect(at(chat.id, 'original.txt')?.toString('utf8')).toBe(text);
  expect(at(file.id, 'original.md')).toEqual(Buffer.from(fileBytes));
  expect(at(page.id, 'original.html')?.toString('utf8') ?? at(page.id, 'original')?.toString('utf8')).toContain(
    'Words of a page.',
  );
  expect(json(at(chat.id, 'source.json'))).toMatchObject({
    id: chat.id,
    type: 'CONTENT',
    name: chat.name,
    status: 'COMPLETED',
    initial_data: { from: 'me' },
    metadata: { team: 'docs' },
    collectionId: top.id,
    deletedAt: null,
  });
  expect(json(at(page.id, 'source.json')).deletedAt).toEqual(expect.any(String));
  expect(json(at(missing.id, 'source.json'))).toMatchObject({ status: 'FAILED', error: { code: 'fetch_http_status' } });
  const artifacts = (await user.call('GET', `/v1/sources/${chat.id}/artifacts`)).body.data;
  expect(artifacts).toHaveLength(2);
  expect(json(at(chat.id, 'artifacts.json')).map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining(artifacts.map(({ id }: { id: string }) => id)),
  );
  const space = paths.find((path) => path.endsWith('/space.json'))?.slice(0, -'space.json'.length);
  expect(json(files.get(`${space}collections.json`))).toMatchObject([
    { name: 'Top', parentId: null },
    { name: 'Below', parentId: top.id },
  ]);
  expect(json(files.get('tickets.json'))).toMatchObject([{ message: 'How much?', replyAddress: email }]);

  const manifest = manifestSchema.parse(json(files.get('manifest.json')));
  expect(manifest.user.email).toBe(email);
  expect(manifest.counts).toEqual({
    spaces: 1,
    collections: 2,
    sources: 5,
    artifacts: paths
      .filter((path) => path.endsWith('/artifacts.json'))
      .reduce((sum, path) => sum + json(files.get(path)).length, 0),
    tickets: 1,
    missingObjects: 0,
  });
  expect(manifest.files.map(({ path }) => path)).toEqual(paths.filter((path) => path !== 'manifest.json'));
  for (const { path, bytes, sha256 } of manifest.files) {
    const body = files.get(path) ?? Buffer.alloc(0);
    expect({ bytes, sha256 }).toEqual({ bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') });
  }
  for (const path of paths) {
    expect(path).not.toMatch(/(^|\/)\.{1,2}(\/|$)|^\/|\\|[<>:"|?*\p{Cc}\p{Cf}]/u);
  }
});

test('folder names are safe, readable and unique', () => {
  const id = '01a2038b-2726-730d-b793-c28f5432d217';
  expect(folderName('Release notes', id)).toBe(`Release notes ${id}`);
  expect(folderName('..', id)).toBe(id);
  expect(folderName('a/b\\c:d', id)).toBe(`a b c d ${id}`);
  expect(folderName('\u202egnp.exe\u0000', id)).toBe(`gnp.exe ${id}`);
  expect(folderName('ü'.repeat(200), id)).toBe(`${'ü'.repeat(60)} ${id}`);
  expect(folderName('\ud83d lone', id)).not.toMatch(/[\ud800-\udfff]/);
  expect(folderName('CON', id)).not.toBe('CON');
});

test('an existing target file is not overwritten, and a failed export leaves no file', async () => {
  const email = `${randomUUID()}@example.com`;
  await newUser({ email });
  const file = await target();
  await writeFile(file, 'mine');
  expect(await run(['user', 'export', email, '--to', file])).toMatchObject({
    code: 1,
    stderr: `--to: the file ${file} exists already.\n`,
  });
  expect((await stat(file)).size).toBe(4);
  const folder = join(file, '..', 'missing', 'export.zip');
  expect(await run(['user', 'export', email, '--to', folder])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--to: '),
  });
  expect(await readdir(join(file, '..'))).toEqual(['export.zip']);
});

test('4,000 sources without a result are exported within a heap of 64 MiB', async () => {
  const email = `${randomUUID()}@example.com`;
  const user = await newUser({ email });
  const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
  // Two files each: a ZIP library that keeps 10 kB per entry would need 80 MiB.
  const sources = 4_000;
  await database.pool.query(
    `with made as (select uuidv7() as id, n from generate_series(1, $3::int) n), inserted as (
       insert into sources (id, owner_id, space_id, type, name, name_derived, status, generation, initial_data,
         instructions, metadata)
       select id, $1, $2, 'CONTENT', 'Text ' || n, false, 'CANCELED', 1,
         jsonb_build_object('data', repeat('Text number ' || n || '. ', 50)), '{}', '{}' from made)
     insert into source_generations (id, source_id, generation, trigger, fetches, run_context_extraction,
       run_artifact_extraction, outcome, finished_at)
     select uuidv7(), id, 1, 'create', false, true, true, 'CANCELED', now() from made`,
    [user.userId, user.spaceId, sources],
  );
  await database.close();
  const file = await target();
  const ended = await run(['user', 'export', email, '--to', file, '--json'], ['--max-old-space-size=64']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ended.stdout).counts).toMatchObject({ sources, missingObjects: 0 });
  const zip = await openPromise(file, { lazyEntries: true });
  // Two files per source (text and JSON), two of the space, the tickets and the manifest.
  expect(zip.entryCount).toBe(2 * sources + 4);
  zip.close();
}, 300_000);

test('small, large and incompressible files of a ZIP are read back, and the list has their sums', async () => {
  const bodies = new Map([
    ['empty.txt', Buffer.alloc(0)],
    ['small.txt', Buffer.from('Water boils. '.repeat(50))],
    ['large.txt', Buffer.from('Water boils. '.repeat(50_000))],
    ['random.bin', randomBytes(200_000)],
  ]);
  const file = await target();
  const zip = await createZip(file);
  for (const [path, body] of bodies) await zip.add(path, body, { modifiedAt: new Date() });
  await zip.finish('manifest.json', { format: 1 });
  const read = await readZip(file);
  const { files } = JSON.parse(String(read.get('manifest.json')));
  read.delete('manifest.json');
  expect(read).toEqual(bodies);
  const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex');
  expect(files).toEqual([...bodies].map(([path, body]) => ({ path, bytes: body.length, sha256: sha256(body) })));
  expect((await stat(file)).size).toBeLessThan(250_000);
});

test('a ZIP of 66,001 files, more than the 65,535 of the original format, is readable', async () => {
  const file = await target();
  const zip = await createZip(file);
  const files = 66_000;
  const modifiedAt = new Date();
  for (let n = 0; n < files; n += 1) await zip.add(`folder/${n}.txt`, String(n), { modifiedAt, compress: false });
  await zip.finish('manifest.json', { format: 1 });
  const read = await openPromise(file, { lazyEntries: true });
  expect(read.entryCount).toBe(files + 1);
  let seen = 0;
  for await (const entry of read.eachEntry()) {
    if (entry.fileName === `folder/${files - 1}.txt`) {
      expect(String(await buffer(await read.openReadStreamPromise(entry)))).toBe(String(files - 1));
    }
    seen += 1;
  }
  expect(seen).toBe(files + 1);
}, 120_000);
