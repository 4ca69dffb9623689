import { z } from 'zod';
import { sourceSchema, sourceWithContextSchema } from '../../contract/resources.ts';
import { newUser, script, sitePath, type TestUser } from '../support/client.ts';

const one = z.strictObject({ data: sourceSchema.strict() });
const whole = z.strictObject({ data: sourceWithContextSchema.strict() });
const list = z.strictObject({ data: z.array(sourceSchema.strict()), nextCursor: z.string().nullable() });

async function uploaded(user: TestUser, filename = 'notes & more.txt'): Promise<string> {
  const grant = { filename, contentType: 'text/plain', size: 5 };
  const { uploadUrl, fileKey } = (await user.call('POST', '/v1/upload/s3', grant)).body;
  await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'Notes' });
  return fileKey;
}

async function post(user: TestUser, body: Record<string, unknown>) {
  return user.call('POST', `/v1/spaces/${user.spaceId}/sources`, { instructions: {}, ...body });
}

test('each of the four types is created, read and listed in the shape of the contract', async () => {
  const user = await newUser();
  const page = await script(sitePath('page'), [{ body: '<title>P</title><p>Text of the page.</p>' }]);
  const made = new Map<string, string>();
  const create = async (type: string, data: unknown) => {
    const response = await post(user, { type, initial_data: { data, kept: [1] }, instructions: { kept: true } });
    expect(response.status).toBe(201);
    const source = one.parse(response.body).data;
    expect(source).toMatchObject({ type, spaceId: user.spaceId, generation: 1, resultGeneration: null, pinned: false });
    expect(source).toMatchObject({ initial_data: { data, kept: [1] }, instructions: { kept: true }, metadata: {} });
    made.set(source.id, type);
    return source.id;
  };
  const content = await create('CONTENT', '# A heading\n\ntext');
  const uri = await create('URI', page);
  const file = await create('FILE', await uploaded(user));
  await create('COMPOSITION', [content, uri.toUpperCase()]);
  await create('COMPOSITION', `${content}, ${uri}\n${file}`);
  for (const [id, type] of made) {
    await user.reach(id, 'COMPLETED');
    const source = whole.parse((await user.call('GET', `/v1/sources/${id}`)).body).data;
    expect(source).toMatchObject({ id, type, status: 'COMPLETED', resultGeneration: 1, error: null });
    expect(source.context).not.toBeNull();
  }
  const { data } = list.parse((await user.call('GET', `/v1/spaces/${user.spaceId}/sources`)).body);
  expect(data.map(({ id }) => id)).toEqual([...made.keys()].reverse());
});

test('lists and create responses truncate a text to 1,000 code points, a single read does not', async () => {
  const user = await newUser();
  const text = '😀'.repeat(1_001);
  const created = one.parse((await post(user, { type: 'CONTENT', initial_data: { data: text } })).body).data;
  expect(created).toMatchObject({ truncated: true, initial_data: { data: '😀'.repeat(1_000) } });
  const read = whole.parse((await user.call('GET', `/v1/sources/${created.id}`)).body).data;
  expect(read.initial_data.data).toBe(text);
  expect(read).not.toHaveProperty('truncated');
});

test('5 MiB of text is accepted though its escapes make the body twice as long', async () => {
  const user = await newUser();
  const text = '\u20ac'.repeat(1_747_626);
  const escaped = `{"type":"CONTENT","instructions":{},"initial_data":{"data":"${'\\u20ac'.repeat(1_747_626)}"}}`;
  const response = await user.call('POST', `/v1/spaces/${user.spaceId}/sources`, escaped);
  expect(response.status).toBe(201);
  expect(one.parse(response.body).data.sizeBytes).toBe(Buffer.byteLength(text));
});

test('a create with a taken externalId is 409 with the id and Location of the first source', async () => {
  const user = await newUser();
  const body = {
    type: 'CONTENT',
    initial_data: { data: 'a' },
    externalId: 'ticket/1',
    metadata: { a: 'b', n: 1.5, t: true },
  };
  const first = one.parse((await post(user, body)).body).data;
  expect(first).toMatchObject({ externalId: 'ticket/1', metadata: { a: 'b', n: 1.5, t: true } });
  const second = await post(user, body);
  expect(second.status).toBe(409);
  expect(second.headers.get('location')).toBe(`/v1/sources/${first.id}`);
  expect(second.body.message).toContain(first.id);
  // In another space it is not taken.
  const space = (await user.call('POST', '/v1/spaces', { name: 'Two' })).body.data.id;
  const elsewhere = await user.call('POST', `/v1/spaces/${space}/sources`, { instructions: {}, ...body });
  expect(elsewhere.status).toBe(201);
});

test.each([
  ['cancel', 200],
  ['reprocess', 202],
  ['refresh', 202],
])('%s accepts no body, an empty body and {}', async (action, status) => {
  const user = await newUser();
  const page = await script(sitePath('hangs'), [{ hang: true }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data: page } });
  const sent: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    [undefined, 'text/plain'],
    ['', 'application/json'],
    ['{}', 'application/json'],
  ];
  for (const [body, type] of sent) {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const response = await user.call('POST', `/v1/sources/${id}/${action}`, body, headers);
    expect([body, type, response.status]).toEqual([body, type, status]);
    if (action !== 'refresh') one.parse(response.body);
  }
  await user.call('POST', `/v1/sources/${id}/cancel`);
});

test('refresh is 202 with {}; a GET after it shows the next generation', async () => {
  const user = await newUser();
  const page = await script(sitePath('page'), [{ body: '<p>Text of the page.</p>' }]);
  const source = await user.create({ type: 'URI', initial_data: { data: page } });
  const response = await user.call('POST', `/v1/sources/${source.id}/refresh`, undefined, {
    'content-type': 'application/json',
  });
  expect({ status: response.status, body: response.body }).toEqual({ status: 202, body: {} });
  expect((await user.get(source.id)).generation).toBe(2);
});

test('a name is derived from the content if none is sent', async () => {
  const user = await newUser();
  expect((await user.content('# The heading\n\ntext')).name).toBe('The heading');
  const uri = await user.create({ type: 'URI', initial_data: { data: 'https://example.invalid/a/b?c=d' } });
  expect(uri.name).toBe('example.invalid/a/b');
  const named = await user.create({ type: 'CONTENT', initial_data: { data: 'a' }, name: '  Mine ' });
  expect(named.name).toBe('Mine');
  const file = await user.create({ type: 'FILE', initial_data: { data: await uploaded(user) } });
  expect(file.name).toBe('notes & more.txt');
  const blank = await user.create({ type: 'FILE', initial_data: { data: await uploaded(user, ' ') } });
  expect(blank.name).toBe('File');
});

test('the response to a create equals the new source in the list', async () => {
  const user = await newUser();
  const spaceId = (await user.call('POST', '/v1/spaces', { name: 'New' })).body.data.id;
  const path = `/v1/spaces/${spaceId}/sources`;
  const common = { instructions: { kept: [1] }, metadata: { a: 1 }, externalId: 'e', name: 'Ä' };
  const content = { type: 'CONTENT', initial_data: { data: '🌊'.repeat(1_001), more: null }, ...common };
  const created = await user.call('POST', path, content);
  expect(created.body.data).toMatchObject({ truncated: true, sizeBytes: 4_004, status: 'CREATED', revision: 1 });
  const members = { type: 'COMPOSITION', initial_data: { data: created.body.data.id }, instructions: {} };
  const composed = await user.call('POST', path, members);
  const { body } = await user.call('GET', path);
  // Without the fields that a run has changed by then.
  const { status, revision, updatedAt, startedAt, finishedAt, progress, contentType, ...lasting } = composed.body.data;
  expect(body.data[0]).toMatchObject(lasting);
  expect(body.data[1]).toMatchObject({ ...common, initial_data: { data: '🌊'.repeat(1_000), more: null } });
  expect(Object.keys(body.data[1])).toEqual(Object.keys(created.body.data));
});
