/** Reprocess and refresh: each makes a new generation, and the newest one wins. */
import type { SourceResource } from '../../contract/resources.ts';
import { newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import type { SiteAnswer } from '../support/site.ts';
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

async function pageWith(answers: SiteAnswer[], instructions: Record<string, unknown> = {}) {
  const path = sitePath('page');
  const data = await script(path, answers);
  const { id } = await user.create({ type: 'URI', initial_data: { data }, instructions });
  return { id, path };
}

/** Markdown of a page with one code block for each command. */
const page = (text: string, ...commands: string[]): SiteAnswer => ({
  headers: { 'content-type': 'text/markdown' },
  body: `# Page\n\n${text}\n\n${commands.map((command) => `\`\`\`js\n${command}\n\`\`\`\n`).join('\n')}`,
});

async function artifactsOf(id: string): Promise<Map<string, string>> {
  const { body } = await user.call('GET', `/v1/sources/${id}/artifacts`);
  return new Map(body.data.map((artifact: { content: string; id: string }) => [artifact.content, artifact.id]));
}

describe('refresh', () => {
  test.concurrent('fetches again, and the result is the new page', async () => {
    const { id, path } = await pageWith([page('Old words.'), page('New words.')]);
    await completed(id, 1);
    expect(await refresh(id)).toMatchObject({ status: 202, body: {} });
    expect((await user.get(id)).status).not.toBe('CREATED');
    expect(await completed(id, 2)).toMatchObject({ resultGeneration: 2, contextGeneration: 2, artifactsGeneration: 2 });
    expect(await user.markdown(id)).toContain('New words.');
    expect(await received(path)).toHaveLength(2);
  });

  test.concurrent('is refused for CONTENT', async () => {
    const { id } = await user.content('Pasted.');
    expect(await refresh(id)).toMatchObject({ status: 400, body: { details: [{ field: 'type' }] } });
  });

  test.concurrent('swaps artifacts at once: the same ones keep their id, others come and go', async () => {
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
  test.concurrent('works on the stored content: the site is not asked again, artifacts keep their ids', async () => {
    const { id, path } = await pageWith([page('Words.', 'one();'), { status: 404 }]);
    await completed(id, 1);
    const before = await artifactsOf(id);
    const answer = await reprocess(id);
    expect(answer).toMatchObject({ status: 202, body: { data: { id, generation: 2, resultGeneration: 1 } } });
    expect(['PENDING', 'PROCESSING']).toContain(answer.body.data.status);
    expect(await completed(id, 2)).toMatchObject({ resultGeneration: 2, contextGeneration: 2, artifactsGeneration: 2 });
    expect(await artifactsOf(id)).toEqual(before);
    expect(await received(path)).toHaveLength(1);
  });

  test.concurrent('works on what a failed refresh left: the newest content that was fetched whole', async () => {
    const { id, path } = await pageWith([page('Whole.'), { status: 404 }]);
    await completed(id, 1);
    await refresh(id);
    await user.reach(id, 'FAILED');
    await reprocess(id);
    await completed(id, 3);
    expect(await user.markdown(id)).toContain('Whole.');
    expect(await received(path)).toHaveLength(2);
  });

  test.concurrent('fetches where it supersedes a refresh that had not; readers see the old result until then', async () => {
    const postback = sitePath('postback');
    const postbackUrl = await script(postback, [{ status: 200 }]);
    const { id, path } = await pageWith([page('Old.'), { hang: true }, page('Newest.')], { postback_url: postbackUrl });
    await completed(id, 1);
    await refresh(id);
    await until('the refresh is under way', async () => (await received(path)).length === 2);
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
    await until('the superseded fetch is broken off', async () => (await received(path))[1]?.aborted, 2_000);
    expect(await received(path)).toHaveLength(3);
    // The superseded generation ended without an end of its own: nothing is owed for it.
    const sent = await settledDeliveries(user, id, 2);
    expect(sent.map(({ generation, state }) => `${generation} ${state}`)).toEqual(['3 delivered', '1 delivered']);
    expect((await received(postback)).map(({ body }) => JSON.parse(body).data.generation)).toEqual([1, 3]);
  });

  test.concurrent('with a stage switched off keeps its previous result, marked with its generation', async () => {
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

test('of 20 reprocesses at once the last one wins, and each generation that ended sends one postback', async () => {
  const postback = sitePath('storm');
  const { id } = await user.content('# Storm\n\n```js\nonce();\n```\n', {
    postback_url: await script(postback, [{ status: 200 }]),
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => reprocess(id)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
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
  const owed = sent.map(({ generation }: { generation: number }) => generation);
  expect(owed[0]).toBe(21);
  const bodies = (await received(postback)).map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ data }) => data.generation).sort((one, other) => other - one)).toEqual(owed);
  expect(new Set(bodies.map(({ type }) => type))).toEqual(new Set(['source.completed']));
});
