import { z } from 'zod';
import { artifactSchema, sourceSchema } from '../../contract/resources.ts';
import { newUser } from '../support/client.ts';

const page = z.strictObject({ data: z.array(artifactSchema.strict()), nextCursor: z.string().nullable() });
const source = z.strictObject({ data: sourceSchema.strict() });

async function withArtifacts() {
  const user = await newUser();
  const { id } = await user.content('# T\n\n```ts\nconst a = 1;\n```\n\n[docs](https://example.com/a)\n');
  await user.reach(id, 'COMPLETED');
  const { data } = page.parse((await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`)).body);
  const code = data.find(({ kind }) => kind === 'code');
  if (code === undefined) throw new Error('no code was found');
  return { user, sourceId: id, artifacts: data, code };
}

test('artifacts are listed by space and by source, and filtered by kind', async () => {
  const { user, sourceId, artifacts, code } = await withArtifacts();
  expect(code).toMatchObject({
    sourceId,
    spaceId: user.spaceId,
    language: 'ts',
    status: 'EXTRACTED',
    promotedSourceId: null,
  });
  const read = async (path: string) => page.parse((await user.call('GET', path)).body).data;
  expect(await read(`/v1/sources/${sourceId}/artifacts`)).toEqual(artifacts);
  expect(await read(`/v1/spaces/${user.spaceId}/artifacts?kind=code`)).toEqual([code]);
  expect(await read(`/v1/spaces/${user.spaceId}/artifacts?kind=table`)).toEqual([]);
  const first = page.parse((await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts?limit=1`)).body);
  const second = await read(`/v1/spaces/${user.spaceId}/artifacts?limit=1&cursor=${first.nextCursor}`);
  expect([...first.data, ...second]).toEqual(artifacts);
});

test('a promote makes a source that runs; a second one answers the same', async () => {
  const { user, code } = await withArtifacts();
  const promote = () => user.call('PUT', `/v1/source-artifact/${code.id}/promote`);
  const first = await promote();
  expect(first.status).toBe(201);
  const made = source.parse(first.body).data;
  expect(made).toMatchObject({ type: 'CONTENT', spaceId: user.spaceId, initial_data: { data: code.content } });
  const second = await promote();
  expect({ status: second.status, id: source.parse(second.body).data.id }).toEqual({ status: 200, id: made.id });
  await user.reach(made.id, 'COMPLETED');
  const { data } = page.parse((await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`)).body);
  expect(data.find(({ id }) => id === code.id)?.promotedSourceId).toBe(made.id);
});

test('twenty simultaneous promotes make one source', async () => {
  const { user, code } = await withArtifacts();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => user.call('PUT', `/v1/source-artifact/${code.id}/promote`)),
  );
  expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  const { body } = await user.call('GET', `/v1/spaces/${user.spaceId}/sources`);
  expect(body.data).toHaveLength(2);
});
