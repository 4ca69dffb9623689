/** A refresh of an unchanged page: stages that have a result are skipped, and the generation is `unchanged`. */
import type { GenerationResource, SourceResource } from '../../contract/resources.ts';
import { newUser, received, script, send, sitePath } from '../support/client.ts';
import type { SiteResponse } from '../support/site.ts';
import { until } from '../support/until.ts';

const user = await newUser();
const markdown = { 'content-type': 'text/markdown' };
const body = '# Page\n\nWords.\n\n```js\none();\n```\n';

async function ended(id: string, generation: number): Promise<SourceResource> {
  return until(`generation ${generation} of ${id} has ended`, async () => {
    const source = await user.get(id);
    if (source.generation === generation && ['COMPLETED', 'FAILED'].includes(source.status)) return source;
    throw new Error(`${source.generation} is ${source.status}`);
  });
}

async function pageWith(responses: SiteResponse[], instructions: Record<string, unknown> = {}) {
  const path = sitePath('page');
  const data = await script(path, responses);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions });
  return { id, path };
}

async function generations(id: string): Promise<GenerationResource[]> {
  return (await user.call('GET', `/v1/sources/${id}/generations`)).body.data;
}

const refresh = (id: string, options: Record<string, boolean> = {}) =>
  user.call('POST', `/v1/sources/${id}/refresh`, options);

test.concurrent('a response 304 keeps content, context and artifacts', async () => {
  const headers = { ...markdown, etag: '"v1"', 'last-modified': 'Tue, 05 Mar 2024 10:00:00 GMT' };
  const { id, path } = await pageWith([
    { headers, body },
    { status: 304, headers: { etag: '"v1"' } },
  ]);
  await ended(id, 1);
  const before = await user.call('GET', `/v1/sources/${id}/artifacts`);
  await refresh(id);
  expect(await ended(id, 2)).toMatchObject({
    ...{ status: 'COMPLETED', resultGeneration: 2, contextGeneration: 2, artifactsGeneration: 2, error: null },
  });
  const [, conditional] = await received(path);
  expect(conditional?.headers).toMatchObject({
    'if-none-match': '"v1"',
    'if-modified-since': headers['last-modified'],
  });
  expect(await user.markdown(id)).toBe(body);
  expect((await user.call('GET', `/v1/sources/${id}/artifacts`)).body).toEqual(before.body);
  const [second, first] = await generations(id);
  expect([first?.unchanged, second?.unchanged]).toEqual([false, true]);
  await refresh(id);
  await ended(id, 3);
  expect((await received(path))[2]?.headers).toMatchObject({ 'if-none-match': '"v1"' });
  expect((await generations(id))[0]).toMatchObject({ generation: 3, unchanged: true, sizeBytes: body.length });
});

test.concurrent('the same bytes under 200 are unchanged; other bytes are not', async () => {
  const { id } = await pageWith([
    { headers: markdown, body },
    { headers: markdown, body },
    { headers: markdown, body: '# New' },
  ]);
  await ended(id, 1);
  await refresh(id);
  await ended(id, 2);
  await refresh(id);
  await ended(id, 3);
  expect((await generations(id)).map(({ unchanged }) => unchanged)).toEqual([false, true, false]);
  expect(await user.markdown(id)).toBe('# New\n');
});

test.concurrent('after a 304 a stage without a result for the stored content runs', async () => {
  const changed = { headers: { ...markdown, etag: 'W/"b"' }, body: body.replace('one', 'two') };
  const { id } = await pageWith([{ headers: markdown, body }, changed, { status: 304 }]);
  const found = async () =>
    (await user.call('GET', `/v1/sources/${id}/artifacts`)).body.data.map(
      ({ content }: { content: string }) => content,
    );
  await ended(id, 1);
  await refresh(id, { run_artifact_extraction: false });
  await ended(id, 2);
  expect(await found()).toEqual(['one();']);
  await refresh(id);
  expect(await ended(id, 3)).toMatchObject({ status: 'COMPLETED', contextGeneration: 3, artifactsGeneration: 3 });
  expect((await generations(id))[0]).toMatchObject({ generation: 3, unchanged: true });
  expect(await found()).toEqual(['two();']);
});

test.concurrent('after a 304 a result of older content is not kept for the stored content', async () => {
  const empty = {
    headers: { 'content-type': 'text/html', etag: '"e"' },
    body: '<html><body><div> </div></body></html>',
  };
  const { id } = await pageWith([{ headers: { ...markdown, etag: '"a"' }, body }, empty, { status: 304 }]);
  await ended(id, 1);
  await refresh(id);
  expect((await ended(id, 2)).status).toBe('FAILED');
  await refresh(id);
  expect(await ended(id, 3)).toMatchObject({ status: 'FAILED', error: { code: 'content_empty' }, resultGeneration: 1 });
  expect((await generations(id))[0]).toMatchObject({ unchanged: true, outcome: 'FAILED' });
});

test.concurrent('a file that was not uploaded again is unchanged, another one of the same length is not', async () => {
  const grant = await user.call('POST', '/v1/upload/s3', {
    ...{ filename: 'page.md', contentType: 'text/markdown', size: body.length },
  });
  const put = (text: string) => send(grant.body.uploadUrl, 'PUT', { body: text, headers: markdown });
  await put(body);
  const { id } = await user.create({ type: 'FILE', initial_data: { data: grant.body.fileKey } });
  await ended(id, 1);
  await refresh(id);
  await ended(id, 2);
  await put(body.replace('one', 'two'));
  await refresh(id);
  expect(await ended(id, 3)).toMatchObject({ status: 'COMPLETED', contextGeneration: 3, artifactsGeneration: 3 });
  expect((await generations(id)).map(({ unchanged }) => unchanged)).toEqual([false, true, false]);
  expect(await user.markdown(id)).toContain('two();');
});

test.concurrent('a composition is not stale after an unchanged refresh of a member', async () => {
  const { id: member } = await pageWith([
    { headers: markdown, body },
    { headers: markdown, body },
    { headers: markdown, body: '# New' },
  ]);
  await ended(member, 1);
  const { id } = await user.create({ type: 'COMPOSITION', initial_data: { data: [member] } });
  const { revision } = await ended(id, 1);
  await refresh(member);
  await ended(member, 2);
  expect(await user.get(id)).toMatchObject({ stale: false, revision });
  await refresh(member);
  await ended(member, 3);
  expect(await user.get(id)).toMatchObject({ stale: true, revision: revision + 1 });
});
