import { z } from 'zod';
import { spaceSchema, spaceWithCountsSchema } from '../../contract/resources.ts';
import { newUser, send } from '../support/client.ts';

test('a space is created, read and listed as it was sent, trimmed', async () => {
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

test('an id in capitals is the same id', async () => {
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
  'a body may come as %s',
  async (type) => {
    const user = await newUser();
    const { status } = await user.call('POST', '/v1/spaces', { name: 'S' }, { 'content-type': type });
    expect(status).toBe(201);
  },
);

test('the scheme of the key is read in any case', async () => {
  const user = await newUser();
  const headers = { authorization: `bearer ${user.key}` };
  expect((await send(`${user.apiUrl}/v1/spaces`, 'GET', { headers })).status).toBe(200);
});
