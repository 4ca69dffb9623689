/** PATCH of a source: changed and unchanged fields, and when it starts a generation. */
import { openDatabase } from '../../db/orm.ts';
import { newUser, received, script, settledDeliveries, sitePath, upload } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { until } from '../support/until.ts';

const user = await newUser();

const patch = (id: string, body: unknown) => user.call('PATCH', `/v1/sources/${id}`, body);
const problems = (response: { body: { details: { field: string; message: string }[] } }) =>
  Object.fromEntries(response.body.details.map(({ field, message }) => [field, message]));
const compose = (ids: string[]) => user.create({ type: 'COMPOSITION', initial_data: { data: ids } });
const bytes = (text: string) => new TextEncoder().encode(text);
const completed = (id: string, generation: number) =>
  until(`generation ${generation} is COMPLETED`, async () => {
    const source = await user.get(id);
    if (source.generation === generation && source.status === 'COMPLETED') return source;
    throw new Error(`${source.generation} ${source.status} ${JSON.stringify(source.error)}`);
  });

describe('an update', () => {
  test.concurrent('changes the sent fields and starts no generation; without a field it changes nothing', async () => {
    const { id } = await user.content('# Heading\n\nText.');
    const before = await completed(id, 1);
    const collection = (await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C' })).body.data;
    const fields = {
      name: 'Mine',
      collectionId: collection.id,
      instructions: { kept: [1] },
      metadata: { n: 1, t: true },
      externalId: 'update/1',
    };
    const response = await patch(id, { ...fields, name: ' Mine ' });
    expect(response).toMatchObject({ status: 200, body: { data: { ...fields, generation: 1, status: 'COMPLETED' } } });
    const after = await user.get(id);
    expect(after).toMatchObject({ ...fields, revision: before.revision + 1, resultGeneration: 1 });
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
    for (const body of [{}, undefined, fields]) {
      expect((await patch(id, body)).status).toBe(200);
      expect(await user.get(id)).toEqual(after);
    }
    await patch(id, { collectionId: null, externalId: null, instructions: {}, metadata: {} });
    expect(await user.get(id)).toMatchObject({
      name: 'Mine',
      collectionId: null,
      externalId: null,
      instructions: {},
      metadata: {},
    });
  });

  test.concurrent('is 400 for the same values as a create, with the same messages', async () => {
    const { id } = await user.content('Text.');
    const cases: [Record<string, unknown>, Record<string, string>][] = [
      [{ name: ' ' }, { name: 'Must have 1 to 200 characters.' }],
      [{ name: null }, { name: 'Invalid input: expected string, received null' }],
      [{ collectionId: 'x' }, { collectionId: 'Must be an id.' }],
      [{ collectionId: id }, { collectionId: 'There is no such collection in this space.' }],
      [{ externalId: '' }, { externalId: 'Must have 1 to 255 characters.' }],
      [{ metadata: { a: {} } }, { 'metadata.a': 'Must be a string, a number or a boolean.' }],
      [{ metadata: { a: 'x'.repeat(4_096) } }, { metadata: 'Must have at most 4 kB as JSON.' }],
      [{ instructions: { a: 'x'.repeat(16_384) } }, { instructions: 'Must have at most 16 kB as JSON.' }],
      [
        { instructions: { postback_url: 'http://10.0.0.1/' }, initial_data: { data: '' } },
        {
          'initial_data.data': 'Must not be empty.',
          'instructions.postback_url': 'Must not lead to a private or reserved address.',
        },
      ],
      [
        { instructions: { on_member_failure: 'ask' } },
        { 'instructions.on_member_failure': 'Invalid option: expected one of "fail"|"skip"' },
      ],
      [
        { type: 'URI', pinned: true },
        { type: 'Unknown field.', pinned: 'Unknown field.' },
      ],
    ];
    const before = await completed(id, 1);
    for (const [body, details] of cases) {
      const response = await patch(id, body);
      expect({ status: response.status, details: problems(response) }).toEqual({ status: 400, details });
    }
    expect(await user.get(id)).toEqual(before);
  });

  test.concurrent('to the externalId of another live source is 409 with its Location', async () => {
    const taken = await user.create({ type: 'CONTENT', initial_data: { data: 'a' }, externalId: 'update/taken' });
    const { id } = await user.content('b');
    const response = await patch(id, { externalId: 'update/taken', name: 'Not written' });
    expect(response.status).toBe(409);
    expect(Object.keys(problems(response))).toEqual(['externalId']);
    expect(response.headers.get('location')).toBe(`/v1/sources/${taken.id}`);
    expect((await user.get(id)).name).not.toBe('Not written');
    expect((await patch(taken.id, { externalId: 'update/taken' })).status).toBe(200);
  });

  test.concurrent('of the name keeps that name when the content changes later', async () => {
    const [named, derived] = await Promise.all([user.content('# First'), user.content('# First')]);
    await Promise.all([completed(named.id, 1), completed(derived.id, 1)]);
    await patch(named.id, { name: 'Given' });
    await Promise.all([named, derived].map(({ id }) => patch(id, { initial_data: { data: '# Second' } })));
    expect((await user.get(derived.id)).name).toBe('Second');
    expect(await completed(named.id, 2)).toMatchObject({ name: 'Given' });
    expect(await completed(derived.id, 2)).toMatchObject({ name: 'Second' });
  });
});

describe('new data', () => {
  test.concurrent('of a text starts a new generation; the old result is shown until it completes', async () => {
    const { id } = await user.content('# Old\n\nOld words.');
    await completed(id, 1);
    const response = await patch(id, { initial_data: { data: 'Newer words.', kept: true } });
    expect(response.body.data).toMatchObject({ generation: 2, resultGeneration: 1, sizeBytes: 12 });
    expect(response.body.data.initial_data).toEqual({ data: 'Newer words.', kept: true });
    expect(response.body.data.status).not.toBe('CREATED');
    await completed(id, 2);
    expect(await user.markdown(id)).toContain('Newer words.');
  });

  test.concurrent('of a URI source removes the stored content: a reprocess fetches the new page', async () => {
    const [first, second] = [sitePath('first'), sitePath('second')];
    const urls = await Promise.all([
      script(first, [{ body: '<p>The first page.</p>' }]),
      script(second, [{ hang: true }, { body: '<p>The second page.</p>' }]),
    ]);
    const { id } = await user.create({ type: 'URI', initial_data: { data: urls[0] } });
    await completed(id, 1);
    const response = await patch(id, { initial_data: { data: urls[1] } });
    expect(response.body.data).toMatchObject({ generation: 2, contentType: null, sizeBytes: null });
    await until('it is fetched', async () => (await received(second)).length === 1);
    await user.call('POST', `/v1/sources/${id}/reprocess`);
    await completed(id, 3);
    expect(await user.markdown(id)).toContain('The second page.');
    expect(await received(first)).toHaveLength(1);
  });

  test.concurrent('of a FILE source claims the new upload and releases the old one', async () => {
    const fileKeys = await Promise.all([
      upload(user, 'one.txt', 'text/plain', bytes('The first file.')),
      upload(user, 'two.txt', 'text/plain', bytes('The second file.')),
    ]);
    const { id } = await user.create({ type: 'FILE', initial_data: { data: fileKeys[0] } });
    await completed(id, 1);
    const rejected = await patch(id, { initial_data: { data: `${fileKeys[1]}x` } });
    expect(Object.keys(problems(rejected))).toEqual(['initial_data.data']);
    const claimed = await patch(id, { initial_data: { data: fileKeys[1] } });
    expect(claimed).toMatchObject({ status: 200, body: { data: { generation: 2, sizeBytes: 16 } } });
    expect(await completed(id, 2)).toMatchObject({ name: 'two.txt' });
    expect(await user.markdown(id)).toContain('The second file.');
    const database = await openDatabase(stack().settings.DATABASE_URL ?? '', 1);
    const { rows } = await database.pool.query('select file_key, claimed_at from uploads where file_key = any($1)', [
      fileKeys,
    ]);
    await database.close();
    expect(new Map(rows.map((row) => [row.file_key, row.claimed_at === null]))).toEqual(
      new Map([
        [fileKeys[0], true],
        [fileKeys[1], false],
      ]),
    );
    // The old upload can be claimed again.
    const again = await user.create({ type: 'FILE', initial_data: { data: fileKeys[0] } });
    await user.reach(again.id, 'COMPLETED');
    expect(await user.markdown(again.id)).toContain('The first file.');
  });

  test.concurrent('of a composition changes its members, and the member count in a derived name', async () => {
    const [a, b, c] = await Promise.all(['Alpha.', 'Beta.', 'Gamma.'].map((text) => user.content(text)));
    if (!a || !b || !c) throw new Error('three members');
    const { id, name } = await compose([a.id, b.id]);
    expect(name).toBe('Composition of 2 sources');
    await completed(id, 1);
    const data = `${c.id} ${b.id.toUpperCase()}, ${a.id}`;
    await patch(id, { initial_data: { data } });
    expect(await completed(id, 2)).toMatchObject({ name: 'Composition of 3 sources', initial_data: { data } });
    expect(await user.markdown(id)).toMatch(/Gamma\.[\s\S]*Beta\.[\s\S]*Alpha\./);
    for (const bad of [[a.id, a.id], [], ['x'], [user.spaceId]]) {
      expect(Object.keys(problems(await patch(id, { initial_data: { data: bad } })))).toEqual(['initial_data.data']);
    }
  });
});

test('a composition cannot contain itself, at any depth', async () => {
  const leaf = await user.content('Leaf.');
  const low = await compose([leaf.id]);
  const middle = await compose([leaf.id, low.id]);
  const high = await compose([middle.id]);
  const at = (id: string, member: string) => patch(id, { initial_data: { data: [leaf.id, member] } });
  for (const [id, member] of [
    [low.id, low.id],
    [low.id, middle.id],
    [low.id, high.id],
  ]) {
    const response = await at(id ?? '', member ?? '');
    expect({ status: response.status, details: problems(response) }).toEqual({
      status: 400,
      details: { 'initial_data.data': `The member ${member} is this composition or contains it.` },
    });
  }
  // Of two concurrent updates that would make compositions contain each other, one is rejected.
  const [left, right] = await Promise.all([compose([leaf.id]), compose([leaf.id])]);
  const responses = await Promise.all([at(left.id, right.id), at(right.id, left.id)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test('new instructions replace the old ones; another postback_url ends the disabling by a 410', async () => {
  const path = sitePath('gone');
  const url = await script(path, [{ status: 410 }, { status: 200 }]);
  const { id } = await user.content('Text.', { postback_url: url, kept: true });
  await settledDeliveries(user, id);
  await patch(id, { name: 'The instructions are as they were', instructions: { kept: true, postback_url: url } });
  await user.call('POST', `/v1/sources/${id}/reprocess`);
  expect(await settledDeliveries(user, id, 2)).toMatchObject([{ state: 'disabled', attempts: [] }, {}]);
  await patch(id, { instructions: { postback_url: url } });
  await user.call('POST', `/v1/sources/${id}/reprocess`);
  expect(await settledDeliveries(user, id, 3)).toMatchObject([{ state: 'delivered' }, {}, {}]);
  await patch(id, { instructions: { postback_url: `${url}?again` } });
  await script(`${path}?again`, [{ status: 204 }]);
  expect((await user.get(id)).instructions).toEqual({ postback_url: `${url}?again` });
  await user.call('POST', `/v1/sources/${id}/reprocess`);
  expect((await settledDeliveries(user, id, 4))[0]).toMatchObject({ state: 'delivered', url: `${url}?again` });
});

test('5 MiB of text is accepted though its escapes make the body twice as long', async () => {
  const { id } = await user.content('a');
  const body = `{"initial_data":{"data":"${'\\u20ac'.repeat(1_747_626)}"}}`;
  const response = await user.call('PATCH', `/v1/sources/${id}`, body);
  expect(response).toMatchObject({ status: 200, body: { data: { sizeBytes: 5_242_878, truncated: true } } });
  await user.call('POST', `/v1/sources/${id}/cancel`);
});
