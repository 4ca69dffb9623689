/** The limits of documents, settings of the worker, apply in the extraction processes. */

import { zipOf } from '../extraction/hostile/zip-writer.ts';
import { makePdf } from '../extraction/pdf-fixture.ts';
import { upload } from '../support/client.ts';
import { type PrivateService, startPrivateService } from '../support/private-service.ts';

const limits = {
  UPLOAD_MAX_BYTES: 100_000,
  EXTRACTION_MAX_CHARACTERS: 20_001,
  EXTRACTION_MAX_PAGES: 3,
  EXTRACTION_MAX_CELLS: 52,
  EXTRACTION_MAX_ENTRIES: 14,
  EXTRACTION_MAX_INFLATED_BYTES: 50_005,
  EXTRACTION_MAX_NESTING: 16,
  EXTRACTION_MAX_NODES: 507,
  EXTRACTION_MAX_ARTIFACTS: 8,
};

let service: PrivateService;
beforeAll(async () => {
  service = await startPrivateService();
  await service.startWorker(Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)])));
});
afterAll(() => service?.stop());

const text = (content: string) => new TextEncoder().encode(content);
const many = (count: number, write: (at: number) => string) => Array.from({ length: count }, (_, at) => write(at));
const zip = (others: { path: string; data: string }[]) =>
  zipOf([{ path: 'mimetype', data: 'application/epub+zip', stored: true }, ...others]);

const tooMuch: [keyof typeof limits, string, Uint8Array][] = [
  ['EXTRACTION_MAX_CHARACTERS', 'a.txt', text('word '.repeat(5_000))],
  ['EXTRACTION_MAX_PAGES', 'a.pdf', makePdf(many(4, (at) => `Page ${at}`).map((line) => [line]))],
  ['EXTRACTION_MAX_CELLS', 'a.csv', text(many(30, (at) => `${at},b${at}`).join('\n'))],
  ['EXTRACTION_MAX_ENTRIES', 'a.epub', zip(many(20, (at) => `f${at}.txt`).map((path) => ({ path, data: 'x' })))],
  ['EXTRACTION_MAX_INFLATED_BYTES', 'a.epub', zip([{ path: 'f.txt', data: 'x'.repeat(60_000) }])],
  ['EXTRACTION_MAX_NESTING', 'a.json', text(`${'['.repeat(20)}1${']'.repeat(20)}`)],
  ['EXTRACTION_MAX_NODES', 'a.html', text(`<html><body>${'<p>a</p>'.repeat(400)}</body></html>`)],
  ['EXTRACTION_MAX_ARTIFACTS', 'a.md', text(many(9, (at) => `[a](https://a.example/${at})`).join('\n\n'))],
];

test('each limit has a document beyond it', () => {
  expect(tooMuch.map(([name]) => name).sort()).toEqual(
    Object.keys(limits)
      .filter((name) => name.startsWith('EXTRACTION_'))
      .sort(),
  );
});

test.each(tooMuch)('a document beyond %s is extraction_limit and names the limit', async (name, filename, bytes) => {
  const user = await service.newUser();
  const source = await user.create({
    type: 'FILE',
    initial_data: { data: await upload(user, filename, 'application/octet-stream', bytes) },
  });
  const { error } = await user.reach(source.id, 'FAILED');
  const stage = name === 'EXTRACTION_MAX_ARTIFACTS' ? 'artifacts' : 'context';
  expect(error).toMatchObject({ code: 'extraction_limit', stage, retryable: false });
  expect(error?.message).toContain(`the limit is ${limits[name]}.`);
});

test('a document within all limits is read', async () => {
  const user = await service.newUser();
  await user.reach((await user.content('# Within\n\nAll of [them](https://a.example/).')).id, 'COMPLETED');
});

test('a file beyond UPLOAD_MAX_BYTES is file_too_large, and a grant for it is 400', async () => {
  const user = await service.newUser();
  // The API of this service has the default limit, as if the setting was lowered after the upload.
  const bytes = text('A line.\n'.repeat(20_000));
  const data = await upload(user, 'a.txt', 'text/plain', bytes);
  const source = await user.create({ type: 'FILE', initial_data: { data } });
  const { error } = await user.reach(source.id, 'FAILED');
  expect(error).toMatchObject({ code: 'file_too_large', stage: 'fetch', retryable: false });
  expect(error?.message).toContain(`${bytes.byteLength} bytes`);

  const api = await service.startReplica({ UPLOAD_MAX_BYTES: String(limits.UPLOAD_MAX_BYTES) });
  const other = { ...(await service.newUser()), apiUrl: api.url };
  const grant = (size: number) =>
    fetch(`${api.url}/v1/upload/s3`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filename: 'a.txt', contentType: 'text/plain', size }),
    });
  expect((await grant(limits.UPLOAD_MAX_BYTES)).status).toBeLessThan(300);
  const rejected = await grant(limits.UPLOAD_MAX_BYTES + 1);
  expect({ status: rejected.status, body: await rejected.text() }).toMatchObject({
    status: 400,
    body: expect.stringContaining(`Must be at most ${limits.UPLOAD_MAX_BYTES} bytes.`),
  });
});
