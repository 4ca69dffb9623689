/** A deleted space and everything in it is 404 in every operation; a restore brings all of it back. */
import { openApiDocument } from '../../apps/api/openapi/document.ts';
import { appRouter } from '../../apps/api/routers/index.ts';
import { send, upload } from '../support/client.ts';
import { type Endpoint, overRest, overTrpc, parametersIn } from './contract/calls.ts';
import { prepareOwner } from './contract/places.ts';

const document = openApiDocument(appRouter, 'http://127.0.0.1');
const inASpace = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/') && path.includes('{') && !path.includes('{keyId}'))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Endpoint] => [
      operation.operationId,
      { method: method.toUpperCase(), path, operation },
    ]),
  )
  .filter(([name]) => name !== 'spaces.restore');

test('every operation in a deleted space is the 404 of unknown ids; after a restore reads are the same', async () => {
  const { user, ids } = await prepareOwner();
  const fileKey = await upload(user, 'file.txt', 'text/plain', new TextEncoder().encode('A file.'));
  const file = await user.create({ type: 'FILE', initial_data: { data: fileKey } });
  await user.reach(file.id, 'COMPLETED');
  const download = async () => (await send(`${user.apiUrl}/files/${fileKey}`, 'GET')).status;
  const base = `/v1/spaces/${user.spaceId}`;
  const reads = inASpace.filter(([name, { method }]) => method === 'GET' && !name.endsWith('.events'));
  const read = () => Promise.all(reads.map(async ([, endpoint]) => (await overRest(user, endpoint, { ids })).body));
  const before = await read();
  expect(await download()).toBe(302);

  expect((await user.call('DELETE', base)).status).toBe(204);
  expect(inASpace.length).toBeGreaterThan(25);
  for (const [name, endpoint] of inASpace) {
    const example = endpoint.operation.requestBody?.content['application/json']?.example;
    const body = typeof example === 'object' && example !== null ? { body: { ...example } } : {};
    const malformed = {
      ids: Object.fromEntries(parametersIn(endpoint, 'path').map(({ name }) => [name, 'x'])),
      ...body,
    };
    const [rest, trpc, unknown] = await Promise.all([
      overRest(user, endpoint, { ids, ...body }),
      overTrpc(user, endpoint, { ids, ...body }),
      overRest(user, endpoint, malformed),
    ]);
    expect({ name, rest: rest.status, trpc: trpc.status, body: rest.body }).toEqual({
      name,
      rest: 404,
      trpc: 404,
      body: unknown.body,
    });
  }
  expect(await download()).toBe(404);

  const restored = await user.call('POST', `${base}/restore`);
  expect({ status: restored.status, id: restored.body.data.id }).toEqual({ status: 200, id: user.spaceId });
  expect(await read()).toEqual(before);
  expect(await download()).toBe(302);
});
