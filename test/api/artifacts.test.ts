/** Artifacts in lists and single reads, and their promotion to sources. */
import { z } from 'zod';
import { artifactSchema, sourceSchema } from '../../contract/resources.ts';
import { openDatabase } from '../../db/orm.ts';
import { newUser, type TestUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const page = z.strictObject({ data: z.array(artifactSchema.strict()), nextCursor: z.string().nullable() });
const artifactResponse = z.strictObject({ data: artifactSchema.strict() });
const source = z.strictObject({ data: sourceSchema.strict() });

const text = '# T\n\n```ts\nconst a = 1;\n```\n\n[docs](https://example.com/a) [100%_sure](https://example.com/b)\n';

async function withArtifacts() {
  const user = await newUser();
  const { id } = await user.content(text);
  await user.reach(id, 'COMPLETED');
  const { data } = page.parse((await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`)).body);
  const code = data.find(({ kind }) => kind === 'code');
  if (code === undefined) throw new Error('no code was found');
  return { user, sourceId: id, artifacts: data, code };
}

describe('lists', () => {
  let user: TestUser;
  let sourceId: string;
  let artifacts: z.infer<typeof artifactSchema>[];
  let code: z.infer<typeof artifactSchema>;
  beforeAll(async () => {
    ({ user, sourceId, artifacts, code } = await withArtifacts());
    const other = await user.content('[docs](https://example.com/c)\n');
    await user.reach(other.id, 'COMPLETED');
    await user.call('PUT', `/v1/source-artifact/${code.id}/process`);
    await until('the code is processed', async () => {
      code = artifactResponse.parse((await user.call('GET', `/v1/source-artifact/${code.id}`)).body).data;
      return code.status === 'PROCESSED';
    });
    artifacts = await read(`/v1/spaces/${user.spaceId}/artifacts`);
  });
  const read = async (path: string) => page.parse((await user.call('GET', path)).body).data;
  /** Sorted titles: artifacts of one transaction have the same createdAt. */
  const titles = async (filter: string) =>
    (await read(`/v1/spaces/${user.spaceId}/artifacts?${filter}`)).map(({ title }) => title).sort();

  test('show the artifacts of a space and of a source, the newest first', async () => {
    expect(artifacts).toHaveLength(4);
    expect(code).toMatchObject({ sourceId, spaceId: user.spaceId, language: 'ts', promotedSourceId: null });
    const keys = artifacts.map(({ createdAt, id }) => `${createdAt} ${id}`);
    expect(keys).toEqual(keys.toSorted().reverse());
    expect(await read(`/v1/sources/${sourceId}/artifacts`)).toEqual(
      artifacts.filter((artifact) => artifact.sourceId === sourceId),
    );
  });

  test('are filtered by kind, status, source and title, each alone and together', async () => {
    expect(await titles('kind=link')).toEqual(['100%_sure', 'docs', 'docs']);
    expect(await titles('status=PROCESSED')).toEqual([code.title]);
    expect(await titles(`sourceId=${sourceId}&kind=link`)).toEqual(['100%_sure', 'docs']);
    expect(await titles('q=DOC')).toEqual(['docs', 'docs']);
    expect(await titles(`q=doc&status=EXTRACTED&kind=link&sourceId=${sourceId}`)).toEqual(['docs']);
    expect(await titles('kind=table')).toEqual([]);
    const path = `/v1/sources/${sourceId}/artifacts`;
    expect(await read(`${path}?q=doc&kind=link&status=EXTRACTED`)).toHaveLength(1);
    expect(await read(`${path}?status=FAILED`)).toEqual([]);
  });

  test.each([
    ['q=%25', ['100%_sure']],
    ['q=_', ['100%_sure']],
    ['q=0%25_s', ['100%_sure']],
    ['q=%5C', []],
    ['q=d_cs', []],
  ])('match %s literally', async (filter, expected) => {
    expect(await titles(filter)).toEqual(expected);
  });

  test('are empty for a malformed sourceId and for another owner’s source', async () => {
    const stranger = await withArtifacts();
    expect(await titles('sourceId=1')).toEqual([]);
    expect(await titles(`sourceId=${stranger.sourceId}`)).toEqual([]);
  });

  test.each(['kind=none', 'status=NONE', 'q=', 'more=1', 'limit=0'])('reject %s by name with 400', async (filter) => {
    const response = await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts?${filter}`);
    expect([response.status, response.body.details[0].field]).toEqual([400, filter.split('=')[0]]);
  });

  test('accept a cursor only with the filters of its page', async () => {
    const path = `/v1/spaces/${user.spaceId}/artifacts`;
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const response = await user.call('GET', `${path}?limit=1&kind=link${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const { data, nextCursor } = page.parse(response.body);
      seen.push(...data.map(({ id }) => id));
      cursor = nextCursor;
    }
    expect(seen).toEqual(artifacts.filter(({ kind }) => kind === 'link').map(({ id }) => id));
    const { nextCursor } = page.parse((await user.call('GET', `${path}?limit=1&kind=link`)).body);
    for (const other of ['', '&kind=code', '&kind=link&status=EXTRACTED', '&kind=link&q=d']) {
      const response = await user.call('GET', `${path}?limit=1&cursor=${nextCursor}${other}`);
      expect([response.status, response.body.details[0].field]).toEqual([400, 'cursor']);
    }
  });
});

test('artifacts of a deleted source are not listed and 404 until it is restored', async () => {
  const { user, sourceId, code } = await withArtifacts();
  expect((await user.call('DELETE', `/v1/sources/${sourceId}`)).status).toBe(204);
  expect(page.parse((await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`)).body).data).toEqual([]);
  for (const [method, rest] of [['GET', ''] as const, ['PUT', '/process'] as const, ['PUT', '/promote'] as const]) {
    expect((await user.call(method, `/v1/source-artifact/${code.id}${rest}`)).status).toBe(404);
  }
  await user.call('POST', `/v1/sources/${sourceId}/restore`);
  expect((await user.call('GET', `/v1/source-artifact/${code.id}`)).body.data).toEqual(code);
});

test("another owner's artifact is the same 404 as a missing one", async () => {
  const { code } = await withArtifacts();
  const stranger = await newUser();
  for (const [method, rest] of [['GET', ''] as const, ['PUT', '/process'] as const, ['PUT', '/promote'] as const]) {
    const theirs = await stranger.call(method, `/v1/source-artifact/${code.id}${rest}`);
    const missing = await stranger.call(method, `/v1/source-artifact/${stranger.userId}${rest}`);
    expect([theirs.status, missing.status]).toEqual([404, 404]);
    expect(theirs.body).toEqual(missing.body);
  }
});

describe('promote', () => {
  test('creates a source that completes; a second call returns the same source with 200', async () => {
    const { user, code } = await withArtifacts();
    const promote = () => user.call('PUT', `/v1/source-artifact/${code.id}/promote`);
    const first = await promote();
    expect(first.status).toBe(201);
    const made = source.parse(first.body).data;
    expect(made).toMatchObject({ type: 'CONTENT', spaceId: user.spaceId, initial_data: { data: code.content } });
    const second = await promote();
    expect({ status: second.status, id: source.parse(second.body).data.id }).toEqual({ status: 200, id: made.id });
    await user.reach(made.id, 'COMPLETED');
    const { data } = artifactResponse.parse((await user.call('GET', `/v1/source-artifact/${code.id}`)).body);
    expect(data.promotedSourceId).toBe(made.id);
  });

  test('20 concurrent calls create one source', async () => {
    const { user, code } = await withArtifacts();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => user.call('PUT', `/v1/source-artifact/${code.id}/promote`)),
    );
    expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    const { body } = await user.call('GET', `/v1/spaces/${user.spaceId}/sources`);
    expect(body.data).toHaveLength(2);
  });

  test('is 409 while the promoted source is deleted, and creates a new one after its purge', async () => {
    const { user, code } = await withArtifacts();
    const promote = () => user.call('PUT', `/v1/source-artifact/${code.id}/promote`);
    const made = (await promote()).body.data.id;
    await user.reach(made, 'COMPLETED');
    await user.call('DELETE', `/v1/sources/${made}`);
    const rejected = await promote();
    expect([rejected.status, rejected.headers.get('location')]).toEqual([409, `/v1/sources/${made}`]);
    expect(rejected.body.details[0].field).toBe('promotedSourceId');
    await user.call('POST', `/v1/sources/${made}/restore`);
    expect((await promote()).status).toBe(200);

    // The last step of the purge.
    const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
    await database.pool.query('delete from sources where id = $1', [made]);
    await database.close();
    const again = await promote();
    expect(again.status).toBe(201);
    expect(again.body.data.id).not.toBe(made);
  });

  test('concurrent with deletions of the promoted source is 200 or 409 and creates no other source', async () => {
    const { user, code } = await withArtifacts();
    const promote = () => user.call('PUT', `/v1/source-artifact/${code.id}/promote`);
    const made = (await promote()).body.data.id;
    const [promotes, deletes] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, promote)),
      Promise.all(Array.from({ length: 10 }, () => user.call('DELETE', `/v1/sources/${made}`))),
    ]);
    for (const { status, body, headers } of promotes) {
      expect([200, 409]).toContain(status);
      expect(status === 200 ? body.data.id : headers.get('location')?.split('/').at(-1)).toBe(made);
    }
    expect(deletes.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
    expect((await promote()).status).toBe(409);
  });

  test('concurrent with deletions of the artifact’s source is 404 or creates at most one source', async () => {
    const { user, sourceId, code } = await withArtifacts();
    const [promotes] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => user.call('PUT', `/v1/source-artifact/${code.id}/promote`))),
      Promise.all(Array.from({ length: 10 }, () => user.call('DELETE', `/v1/sources/${sourceId}`))),
    ]);
    const statuses = promotes.map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
    const made = new Set(promotes.flatMap(({ body }) => body.data?.id ?? []));
    const { body } = await user.call('GET', `/v1/spaces/${user.spaceId}/sources`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([...made]);
    expect(made.size).toBe(statuses.includes(201) ? 1 : 0);
  });

  test('puts the new source into the collection of the artifact’s source', async () => {
    const user = await newUser();
    const collection = await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C' });
    const collectionId: string = collection.body.data.id;
    const { id } = await user.create({ type: 'CONTENT', initial_data: { data: text }, collectionId });
    await user.reach(id, 'COMPLETED');
    const [artifact] = page.parse((await user.call('GET', `/v1/sources/${id}/artifacts`)).body).data;
    const made = await user.call('PUT', `/v1/source-artifact/${artifact?.id}/promote`);
    expect(made.body.data).toMatchObject({ collectionId });
  });
});
