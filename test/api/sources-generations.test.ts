/** Lists of generations, and the content as JSON or text/markdown. */
import { newUser, script, sitePath } from '../support/client.ts';
import { until } from '../support/until.ts';

const user = await newUser();

test('generations of a source are listed newest first, in pages', async () => {
  const { id } = await user.content('# Words');
  await user.reach(id, 'COMPLETED');
  await user.call('POST', `/v1/sources/${id}/reprocess`, { run_artifact_extraction: false });
  await until('it has completed again', async () => (await user.get(id)).resultGeneration === 2);
  const url = `/v1/sources/${id}/generations`;
  const { data, nextCursor } = (await user.call('GET', url)).body;
  expect(nextCursor).toBeNull();
  expect(data).toMatchObject([
    {
      generation: 2,
      trigger: 'reprocess',
      outcome: 'COMPLETED',
      options: { run_context_extraction: true, run_artifact_extraction: false },
    },
    {
      generation: 1,
      trigger: 'create',
      outcome: 'COMPLETED',
      error: null,
      stage: null,
      sizeBytes: 7,
      skippedMembers: [],
    },
  ]);
  expect(Object.keys(data[1].stageTimes).sort()).toEqual(['artifacts', 'begin', 'context', 'finish']);
  const { createdAt, startedAt, finishedAt, stageTimes } = data[1];
  const order = [createdAt, startedAt, stageTimes.begin, stageTimes.context, stageTimes.artifacts, finishedAt];
  expect(order).toEqual(order.toSorted());

  const first = (await user.call('GET', `${url}?limit=1`)).body;
  const second = (await user.call('GET', `${url}?limit=1&cursor=${first.nextCursor}`)).body;
  expect([...first.data, ...second.data]).toEqual(data);
  expect(second.nextCursor).toBeNull();
  const postbacks = await user.call('GET', `/v1/sources/${id}/postbacks?cursor=${first.nextCursor}`);
  expect(postbacks).toMatchObject({ status: 400, body: { details: [{ field: 'cursor' }] } });
});

test('generations show the outcome SUPERSEDED or FAILED, or null while they run', async () => {
  const page = await script(sitePath('page'), [{ hang: true }, { status: 404 }, { hang: true }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data: page } });
  await until('it is fetched', async () => (await user.get(id)).progress?.stage === 'fetch');
  await user.call('POST', `/v1/sources/${id}/refresh`);
  await user.reach(id, 'FAILED');
  await user.call('PATCH', `/v1/sources/${id}`, { initial_data: { data: page } });
  await until('it is fetched again', async () => (await user.get(id)).progress?.stage === 'fetch');
  const { data } = (await user.call('GET', `/v1/sources/${id}/generations`)).body;
  expect(data).toMatchObject([
    { generation: 3, trigger: 'update', outcome: null, stage: 'fetch', finishedAt: null },
    { generation: 2, trigger: 'refresh', outcome: 'FAILED', error: { code: 'fetch_http_status', stage: 'fetch' } },
    { generation: 1, trigger: 'create', outcome: 'SUPERSEDED', error: null },
  ]);
  await user.call('POST', `/v1/sources/${id}/cancel`);
});

test('the content is JSON, or text/markdown if Accept prefers that', async () => {
  const { id } = await user.content('# Überschrift');
  const early = await user.call('GET', `/v1/sources/${id}/content`, undefined, { accept: 'text/markdown' });
  if (early.status !== 200) expect(early).toMatchObject({ status: 409, body: { details: [{ field: 'status' }] } });
  await user.reach(id, 'COMPLETED');
  const as = async (accept?: string) => {
    const response = await user.call(
      'GET',
      `/v1/sources/${id}/content`,
      undefined,
      accept === undefined ? {} : { accept },
    );
    expect(response.headers.get('vary')).toBe('accept');
    return [response.headers.get('content-type')?.split(';')[0], response.body];
  };
  const json = ['application/json', { data: { generation: 1, markdown: '# Überschrift\n' } }];
  const alone = ['text/markdown', '# Überschrift\n'];
  expect(await as()).toEqual(json);
  expect(await as('application/json')).toEqual(json);
  expect(await as('*/*')).toEqual(json);
  expect(await as('text/markdown, application/json')).toEqual(json);
  expect(await as('text/html')).toEqual(json);
  expect(await as('text/markdown;q=0, */*')).toEqual(json);
  expect(await as('text/markdown')).toEqual(alone);
  expect(await as('text/*')).toEqual(alone);
  expect(await as('Text/Markdown, application/json;q=0.9')).toEqual(alone);
  expect(await as('application/json;q=0.5, */*;q=0.8')).toEqual(alone);
});
