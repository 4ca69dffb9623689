/** Reprocess and refresh: each starts a new generation, which supersedes the previous one. */
import type { SourceResource } from '../../contract/resources.ts';
import { newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import type { SiteResponse } from '../support/site.ts';
import { until } from '../support/until.ts';

const user = await newUser();

const reprocess = (id: string, options: Record<string, boolean> = {}) =>
  user.call('POST', `/v1/sources/${id}/reprocess`, options);
const refresh = (id: string) => user.call('POST', `/v1/sources/${id}/refresh`, {});

async function completed(id: string, generation: number): Promise<SourceResource> {
  return until(`generation ${generation} of ${id} is COMPLETED`, async () => {
    const source = await user.get(id);
    if (source.generation === generation && source.status === 'COMPLETED') return source;
    throw new Error(`${source.generation} is ${source.status} ${JSON.stringify(source.error)}`);
  });
}

async function pageWith(responses: SiteResponse[], instructions: Record<string, unknown> = {}) {
  const path = sitePath('page');
  const data = await script(path, responses);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions });
  return { id, path };
}

/** Markdown of a page with one code block for each command. */
const page = (text: string, ...commands: string[]): SiteResponse => ({
  headers: { 'content-type': 'text/markdown' },
  body: `# Page\n\n${text}\n\n${commands.map((command) => `\`\`\`js\n${command}\n\`\`\`\n`).join('\n')}`,
});

async function artifactsOf(id: string): Promise<Map<string, string>> {
  const { body } = await user.call('GET', `/v1/sources/${id}/artifacts`);
  return new Map(body.data.map((artifact: { content: string; id: string }) => [artifact.content, artifact.id]));
}

describe('refresh', () => {
  test.concurrent('fetches the page again and replaces the result', async () => {
    const { id, path } = await pageWith([page('Old words.'), page('New words.')]);
    await completed(id, 1);
    expect(await refresh(id)).toMatchObject({ status: 202, body: {} });
    expect((await user.get(id)).status).not.toBe('CREATED');
    expect(await completed(id, 2)).toMatchObject({ resultGeneration: 2, contextGeneration: 2, artifactsGeneration: 2 });
    expect(await user.markdown(id)).toContain('New words.');
    expect(await received(path)).toHaveLength(2);
  });

  test.concurrent('is 400 for CONTENT', async () => {
    const { id } = await user.content('Pasted.');
    expect(await refresh(id)).toMatchObject({ status: 400, body: { details: [{ field: 'type' }] } });
  });

  test.concurrent('replaces artifacts in one transaction: unchanged ones keep their id', async () => {
    const { id } = await pageWith([page('Old.', 'stays();', 'goes();'), page('New.', 'comes();', 'stays();')]);
    await completed(id, 1);
    const before = await artifactsOf(id);
    expect([...before.keys()].sort()).toEqual(['goes();', 'stays();']);
    await refresh(id);
    const seen = new Set<string>();
    await until('the refresh has completed', async () => {
      seen.add([...(await artifactsOf(id)).keys()].sort().join(' '));
      return (await user.get(id)).status === 'COMPLETED';
    });
    const after = await artifactsOf(id);
    seen.add([...after.keys()].sort().join(' '));
    expect([...seen]).toEqual(['goes(); stays();', 'comes(); stays();']);
    expect(after.get('stays();')).toBe(before.get('stays();'));
  });
});

describe('reprocess', () => {
  test.concurrent('uses the stored content without a fetch, and artifacts keep their ids', async () => {
    const { id, path } = await pageWith([page('Words.', 'one();'), { status: 404 }]);
    await completed(id, 1);
    const before = await artifactsOf(id);
    const response = await reprocess(id);
    expect(response).toMatchObject({ status: 202, body: { data: { id, generation: 2, resultGeneration: 1 } } });
    expect(['PENDING', 'PROCESSING']).toContain(response.body.data.status);
    expect(await completed(id, 2)).toMatchObject({ resultGeneration: 2, contextGeneration: 2, artifactsGeneration: 2 });
    expect(await artifactsOf(id)).toEqual(before);
    expect(await received(path)).toHaveLength(1);
  });

  test.concurrent('after a failed refresh uses the newest content that was fetched completely', async () => {
    const { id, path } = await pageWith([page('Whole.'), { status: 404 }]);
    await completed(id, 1);
    await refresh(id);
    await user.reach(id, 'FAILED');
    await reprocess(id);
    await completed(id, 3);
    expect(await user.markdown(id)).toContain('Whole.');
    expect(await received(path)).toHaveLength(2);
  });

  test.concurrent('fetches if it supersedes an open refresh; the old result is shown until it completes', async () => {
    const postback = sitePath('postback');
    const postbackUrl = await script(postback, [{ status: 200 }]);
    const { id, path } = await pageWith([page('Old.'), { hang: true }, page('Newest.')], { postback_url: postbackUrl });
    await completed(id, 1);
    await refresh(id);
    await until('the refresh is in progress', async () => (await received(path)).length === 2);
    expect(await user.get(id)).toMatchObject({ status: 'PROCESSING', generation: 2, resultGeneration: 1 });
    expect(await user.markdown(id)).toContain('Old.');

    await reprocess(id);
    const contents = new Set<string>();
    await until('the reprocess has completed', async () => {
      contents.add((await user.markdown(id)).includes('Old.') ? 'old' : 'newest');
      return (await user.get(id)).status === 'COMPLETED';
    });
    expect(await completed(id, 3)).toMatchObject({ resultGeneration: 3 });
    expect(await user.markdown(id)).toContain('Newest.');
    expect([...contents][0]).toBe('old');
    await until('the superseded fetch is aborted', async () => (await received(path))[1]?.aborted, 2_000);
    expect(await received(path)).toHaveLength(3);
    // A superseded generation has no postback.
    const sent = await settledDeliveries(user, id, 2);
    expect(sent.map(({ generation, state }) => `${generation} ${state}`)).toEqual(['3 delivered', '1 delivered']);
    expect((await received(postback)).map(({ body }) => JSON.parse(body).data.generation)).toEqual([1, 3]);
  });

  test.concurrent('with a stage switched off keeps the result of that stage, with its generation', async () => {
    const { id } = await user.content('# Text\n\n```js\nkept();\n```\n');
    await completed(id, 1);
    const before = await artifactsOf(id);
    await reprocess(id, { run_context_extraction: false });
    expect(await completed(id, 2)).toMatchObject({ resultGeneration: 2, contextGeneration: 1, artifactsGeneration: 2 });
    await reprocess(id, { run_artifact_extraction: false });
    expect(await completed(id, 3)).toMatchObject({ resultGeneration: 3, contextGeneration: 3, artifactsGeneration: 2 });
    await reprocess(id, { run_context_extraction: false, run_artifact_extraction: false });
    expect(await completed(id, 4)).toMatchObject({ resultGeneration: 4, contextGeneration: 3, artifactsGeneration: 2 });
    expect((await user.call('GET', `/v1/sources/${id}/content`)).body.data.generation).toBe(3);
    expect(await artifactsOf(id)).toEqual(before);
    await reprocess(id);
    expect(await completed(id, 5)).toMatchObject({ contextGeneration: 5, artifactsGeneration: 5 });
  });
});

test('of 20 concurrent reprocesses the last one completes, and each completed one sends one postback', async () => {
  const postback = sitePath('storm');
  const { id } = await user.content('# Storm\n\n```js\nonce();\n```\n', {
    postback_url: await script(postback, [{ status: 200 }]),
  });
  const responses = await Promise.all(Array.from({ length: 20 }, () => reprocess(id)));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
  expect(await completed(id, 21)).toMatchObject({
    resultGeneration: 21,
    contextGeneration: 21,
    artifactsGeneration: 21,
  });
  expect([...(await artifactsOf(id)).keys()]).toEqual(['once();']);

  const sent = await until('every postback is delivered', async () => {
    const list = (await user.call('GET', `/v1/sources/${id}/postbacks`)).body.data;
    return list.every(({ state }: { state: string }) => state === 'delivered') && list;
  });
  const expected = sent.map(({ generation }: { generation: number }) => generation);
  expect(expected[0]).toBe(21);
  const bodies = (await received(postback)).map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ data }) => data.generation).sort((one, other) => other - one)).toEqual(expected);
  expect(new Set(bodies.map(({ type }) => type))).toEqual(new Set(['source.completed']));
});
