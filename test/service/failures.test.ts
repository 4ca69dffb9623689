/** Sources that end FAILED: with a code of the catalogue, the stage, and a message with a remedy. */
import { readFile } from 'node:fs/promises';
import { type SourceErrorCode, sourceErrors } from '../../contract/errors.ts';
import type { SourceResource } from '../../contract/resources.ts';
import { newUser, received, script, sitePath, upload } from '../support/client.ts';
import type { SiteResponse } from '../support/site.ts';
import { closedRun, temporal } from '../support/temporal.ts';

const user = await newUser();

const IN_TROUBLE = 'It has a problem: refresh the source later.';

/** Checks the error object: code, stage, and a message that ends with one remedy and has no internal details. */
function expectFailure(
  source: SourceResource,
  code: SourceErrorCode,
  stage: 'fetch' | 'context',
  retryable: boolean,
  remedy: string = sourceErrors[code].remedy,
): void {
  expect(source.error).toEqual({ code, stage, message: expect.any(String), retryable });
  const message = source.error?.message ?? '';
  expect(message.endsWith(` ${remedy}`)).toBe(true);
  expect(message.indexOf(remedy)).toBe(message.lastIndexOf(remedy));
  expect(message).not.toMatch(/\n|\bat \S+:\d+|node_modules|\.ts\b|Error:|undefined|\[object/);
  expect(source).toMatchObject({ progress: null, resultGeneration: null, finishedAt: expect.any(String) });
}

async function fetchOf(name: string, responses: SiteResponse[]) {
  const path = sitePath(name);
  const source = await user.create({ type: 'URI', initial_data: { data: await script(path, responses) } });
  return { path, id: source.id };
}

describe('a page that cannot be fetched', () => {
  test.concurrent('404 fails after one request, and again after a reprocess', async () => {
    const { path, id } = await fetchOf('missing', [{ status: 404, body: 'not here' }]);
    expectFailure(
      await user.reach(id, 'FAILED'),
      'fetch_http_status',
      'fetch',
      false,
      'Nothing exists at this address: check the URL.',
    );
    expect(await received(path)).toHaveLength(1);
    // A failure of the content is a result: the workflow execution completes.
    expect((await closedRun(temporal(), id)).status.name).toBe('COMPLETED');
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    expect(await user.reach(id, 'FAILED')).toMatchObject({ generation: 2, error: { code: 'fetch_http_status' } });
    expect(await received(path)).toHaveLength(2);
  });

  test.concurrent('503 followed by 200 ends COMPLETED', async () => {
    const { id } = await fetchOf('passing', [{ status: 503 }, { body: '<p>Some words on a page.</p>' }]);
    await user.reach(id, 'COMPLETED');
  });

  test.concurrent('a retry waits for Retry-After', async () => {
    const { path, id } = await fetchOf('busy', [
      { status: 429, headers: { 'retry-after': '2' } },
      { body: '<p>Some words on a page.</p>' },
    ]);
    await user.reach(id, 'COMPLETED');
    const [first, second] = await received(path);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  test.concurrent('Retry-After beyond the retry time fails after one request, as retryable', async () => {
    const { path, id } = await fetchOf('closed', [{ status: 503, headers: { 'retry-after': '3600' } }]);
    expectFailure(await user.reach(id, 'FAILED'), 'fetch_http_status', 'fetch', true, IN_TROUBLE);
    expect(await received(path)).toHaveLength(1);
  });

  test.concurrent('a redirect to a forbidden address is fetch_blocked_address', async () => {
    const { path, id } = await fetchOf('inside', [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }]);
    expectFailure(await user.reach(id, 'FAILED'), 'fetch_blocked_address', 'fetch', false);
    expect(await received(path)).toHaveLength(1);
  });

  test.concurrent('the sixth redirect is fetch_too_many_redirects', async () => {
    const path = sitePath('loop');
    const url = await script(path, [{ status: 302, headers: { location: path } }]);
    const { id } = await user.create({ type: 'URI', initial_data: { data: url } });
    expectFailure(await user.reach(id, 'FAILED'), 'fetch_too_many_redirects', 'fetch', false);
    expect(await received(path)).toHaveLength(6);
  });

  test.concurrent('a meta refresh counts as a redirect, and to a forbidden address is rejected', async () => {
    const refresh = (target: string) => `<meta http-equiv="refresh" content="0; url=${target}">`;
    const path = sitePath('element');
    const url = await script(path, [{ body: refresh(`${path}?again`) }]);
    await script(`${path}?again`, [{ status: 302, headers: { location: path } }]);
    const { id } = await user.create({ type: 'URI', initial_data: { data: url } });
    const inside = await fetchOf('within', [{ body: refresh('http://127.0.0.1:9/') }]);
    expectFailure(await user.reach(id, 'FAILED'), 'fetch_too_many_redirects', 'fetch', false);
    expect(await received(path)).toHaveLength(3);
    expectFailure(await user.reach(inside.id, 'FAILED'), 'fetch_blocked_address', 'fetch', false);
  });

  test.concurrent('a response without a body is content_empty', async () => {
    const { id } = await fetchOf('nothing', [{ body: '' }]);
    expectFailure(await user.reach(id, 'FAILED'), 'content_empty', 'fetch', false);
  });

  test.concurrent('an error page with status 200 is fetch_http_status', async () => {
    const { id } = await fetchOf('soft', [{ body: '<html><title>404 Not Found</title><h1>404 Not Found</h1></html>' }]);
    expectFailure(await user.reach(id, 'FAILED'), 'fetch_http_status', 'context', false);
  });

  test.concurrent('a page without text is content_empty', async () => {
    const { id } = await fetchOf('blank', [{ body: '<html><body><div> </div></body></html>' }]);
    expectFailure(await user.reach(id, 'FAILED'), 'content_empty', 'context', false);
  });
});

describe('a file that cannot be read', () => {
  /** A gzip header. */
  const gzip = Buffer.from('1f8b080000000000000300000000ffff', 'hex');

  test.concurrent.each<[string, string, () => Promise<Uint8Array>, SourceErrorCode]>([
    ['an archive', 'all.gz', async () => gzip, 'unsupported_format'],
    [
      'an encrypted PDF',
      'secret.pdf',
      () => readFile(new URL('../fixtures/encrypted.pdf', import.meta.url)),
      'file_encrypted',
    ],
    ['a damaged PDF', 'torn.pdf', async () => Buffer.from('%PDF-1.4\n1 0 obj\n<< /Ty'), 'file_damaged'],
  ])('%s', async (_, filename, bytes, code) => {
    const contentType = filename.endsWith('.gz') ? 'application/gzip' : 'application/pdf';
    const fileKey = await upload(user, filename, contentType, await bytes());
    const { id } = await user.create({ type: 'FILE', initial_data: { data: fileKey } });
    expectFailure(await user.reach(id, 'FAILED'), code, 'context', false);
  });
});

test('after a failed refresh the last completed result is still shown', async () => {
  const { id } = await fetchOf('fading', [{ body: '<p>The words of yesterday.</p>' }, { status: 404 }]);
  await user.reach(id, 'COMPLETED');
  await user.call('POST', `/v1/sources/${id}/refresh`);
  expect(await user.reach(id, 'FAILED')).toMatchObject({ generation: 2, resultGeneration: 1, contextGeneration: 1 });
  expect(await user.markdown(id)).toContain('The words of yesterday.');
});
