import { z } from 'zod';
import { spaceSchema, spaceWithCountsSchema } from '../../contract/resources.ts';
import { newUser, send } from '../support/client.ts';

test('a space is created, read and listed as it was sent, its name trimmed', async () => {
  const user = await newUser();
  const created = await user.call('POST', '/v1/spaces', { name: ' Größe 😀 ', description: ' as it is ' });
  expect(created.status).toBe(201);
  const space = z.strictObject({ data: spaceSchema.strict() }).parse(created.body).data;
  expect(space).toMatchObject({ name: 'Größe 😀', description: ' as it is ' });
  expect(space.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  const read = await user.call('GET', `/v1/spaces/${space.id}`);
  const sourceCounts = { CREATED: 0, PENDING: 0, PROCESSING: 0, COMPLETED: 0, FAILED: 0, CANCELED: 0 };
  expect(z.strictObject({ data: spaceWithCountsSchema.strict() }).parse(read.body).data).toEqual({
    ...space,
    sourceCounts,
  });
  const listed = await user.call('GET', '/v1/spaces');
  expect(listed.body.data[0]).toEqual(space);
  expect(listed.body.nextCursor).toBeNull();
});

test('a name has up to 200 code points, and a missing description is empty', async () => {
  const user = await newUser();
  const name = '😀'.repeat(200);
  const { status, body } = await user.call('POST', '/v1/spaces', { name });
  expect({ status, ...body.data }).toMatchObject({ status: 201, name, description: '' });
});

test('ids are accepted in upper case', async () => {
  const user = await newUser();
  const { status, body } = await user.call('GET', `/v1/spaces/${user.spaceId.toUpperCase()}`);
  expect({ status, id: body.data.id }).toEqual({ status: 200, id: user.spaceId });
});

test('sources are counted by status', async () => {
  const user = await newUser();
  const source = await user.content('a');
  await user.reach(source.id, 'COMPLETED');
  const { body } = await user.call('GET', `/v1/spaces/${user.spaceId}`);
  expect(body.data.sourceCounts).toMatchObject({ COMPLETED: 1, FAILED: 0 });
});

test('/api/v1 is the same as /v1', async () => {
  const user = await newUser();
  const made = await user.call('POST', '/api/v1/spaces', { name: 'S' });
  expect(made.status).toBe(201);
  const [one, two] = await Promise.all([user.call('GET', '/v1/spaces'), user.call('GET', '/api/v1/spaces')]);
  expect(two.body).toEqual(one.body);
});

test.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'])(
  'a body of type %s is accepted',
  async (type) => {
    const user = await newUser();
    const { status } = await user.call('POST', '/v1/spaces', { name: 'S' }, { 'content-type': type });
    expect(status).toBe(201);
  },
);

test('the scheme of Authorization is case-insensitive', async () => {
  const user = await newUser();
  const headers = { authorization: `bearer ${user.key}` };
  expect((await send(`${user.apiUrl}/v1/spaces`, 'GET', { headers })).status).toBe(200);
});

describe('PUT', () => {
  test('replaces name and description; a missing description becomes empty', async () => {
    const user = await newUser();
    const made = (await user.call('POST', '/v1/spaces', { name: 'A', description: 'text' })).body.data;
    const put = await user.call('PUT', `/v1/spaces/${made.id}`, { name: ' B ' });
    expect(put.status).toBe(200);
    const updated = z.strictObject({ data: spaceSchema.strict() }).parse(put.body).data;
    expect(updated).toMatchObject({ id: made.id, name: 'B', description: '', createdAt: made.createdAt });
    expect(updated.updatedAt > made.updatedAt).toBe(true);
    expect((await user.call('GET', `/v1/spaces/${made.id}`)).body.data).toMatchObject(updated);
  });

  test('needs a name', async () => {
    const user = await newUser();
    const { status, body } = await user.call('PUT', `/v1/spaces/${user.spaceId}`, { description: 'text' });
    expect({ status, details: body.details }).toEqual({
      status: 400,
      details: [{ field: 'name', message: 'Required.' }],
    });
  });
});

describe('list filters', () => {
  const names = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name);

  test('q matches parts of names in any case, and %, _ and \\ literally', async () => {
    const user = await newUser();
    for (const name of ['100% sure', '1000 words', 'snake_case', 'snakeXcase', 'back\\slash', 'ÜBER allem']) {
      await user.call('POST', '/v1/spaces', { name });
    }
    const find = async (q: string) => names(await user.call('GET', `/v1/spaces?q=${encodeURIComponent(q)}`));
    expect(await find('0%')).toEqual(['100% sure']);
    expect(await find('E_C')).toEqual(['snake_case']);
    expect(await find('\\')).toEqual(['back\\slash']);
    expect(await find('über')).toEqual(['ÜBER allem']);
    expect(await find('nowhere')).toEqual([]);
  });

  test('only deleted=only lists deleted spaces', async () => {
    const user = await newUser();
    const { id } = (await user.call('POST', '/v1/spaces', { name: 'Gone' })).body.data;
    expect((await user.call('DELETE', `/v1/spaces/${id}`)).status).toBe(204);
    expect(names(await user.call('GET', '/v1/spaces'))).toEqual(['Space']);
    expect(names(await user.call('GET', '/v1/spaces?deleted=only'))).toEqual(['Gone']);
    expect(names(await user.call('GET', '/v1/spaces?deleted=only&q=one'))).toEqual(['Gone']);
    const wrong = await user.call('GET', '/v1/spaces?deleted=true');
    expect({ status: wrong.status, field: wrong.body.details[0].field }).toEqual({ status: 400, field: 'deleted' });
  });

  test('a cursor is 400 with other filters than its own', async () => {
    const user = await newUser();
    await user.call('POST', '/v1/spaces', { name: 'Space too' });
    const { nextCursor } = (await user.call('GET', '/v1/spaces?q=space&limit=1')).body;
    const same = await user.call('GET', `/v1/spaces?q=space&limit=1&cursor=${nextCursor}`);
    expect({ status: same.status, names: names(same) }).toEqual({ status: 200, names: ['Space'] });
    for (const query of ['', 'q=spac&', 'q=space&deleted=only&']) {
      expect((await user.call('GET', `/v1/spaces?${query}cursor=${nextCursor}`)).status).toBe(400);
    }
  });
});

test('paging returns each existing space once while spaces are added', async () => {
  const user = await newUser();
  const made = [user.spaceId];
  for (const name of ['B', 'C', 'D', 'E']) made.unshift((await user.call('POST', '/v1/spaces', { name })).body.data.id);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await user.call('GET', `/v1/spaces?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
    await user.call('POST', '/v1/spaces', { name: 'new' });
  }
  expect(seen).toEqual(made);
});

describe('a deleted space', () => {
  test('that is live is returned unchanged by restore', async () => {
    const user = await newUser();
    const { sourceCounts: _, ...space } = (await user.call('GET', `/v1/spaces/${user.spaceId}`)).body.data;
    const restored = await user.call('POST', `/v1/spaces/${user.spaceId}/restore`, {});
    expect({ status: restored.status, body: restored.body }).toEqual({ status: 200, body: { data: space } });
  });

  test('of 20 concurrent deletes one is 204 and the others 404; 20 concurrent restores are 200', async () => {
    const user = await newUser();
    const path = `/v1/spaces/${user.spaceId}`;
    const twenty = (method: string, to: string) =>
      Promise.all(Array.from({ length: 20 }, async () => (await user.call(method, to)).status));
    const deletes = await twenty('DELETE', path);
    expect(deletes.sort()).toEqual([204, ...Array(19).fill(404)]);
    expect(await twenty('POST', `${path}/restore`)).toEqual(Array(20).fill(200));
    expect((await user.call('GET', path)).status).toBe(200);
  });
});

test('20 concurrent creates with one Idempotency-Key create one space', async () => {
  const user = await newUser();
  const create = () => user.call('POST', '/v1/spaces', { name: 'Once' }, { 'idempotency-key': 'one' });
  const responses = await Promise.all(Array.from({ length: 20 }, create));
  for (const { status } of responses) expect([201, 409]).toContain(status);
  const again = await create();
  expect({ status: again.status, replayed: again.headers.get('idempotent-replayed') }).toEqual({
    status: 201,
    replayed: 'true',
  });
  const { data } = (await user.call('GET', '/v1/spaces?q=once')).body;
  expect(data).toEqual([again.body.data]);
});
