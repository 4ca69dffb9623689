/** Test data for the operations of the document: ids by path parameter, and input of valid calls. */
import { newUser, script, settledDeliveries, sitePath, type TestUser } from '../../support/client.ts';

export type Ids = Readonly<Record<string, string>>;

/** Creates an owner with one resource per path parameter. */
export async function prepareOwner() {
  const user = await newUser();
  const hook = await script(sitePath('hook'), [{ status: 204 }]);
  const source = await user.content('# Notes\n\n```ts\nconst a = 1;\n```', { postback_url: hook });
  const collectionId = await newCollection(user);
  await user.reach(source.id, 'COMPLETED');
  const [delivery] = await settledDeliveries(user, source.id);
  const artifacts = await user.call('GET', `/v1/spaces/${user.spaceId}/artifacts`);
  const ids: Ids = {
    spaceId: user.spaceId,
    collectionId,
    sourceId: source.id,
    artifactId: artifacts.body.data[0].id,
    keyId: await newKey(user),
    postbackId: delivery?.id ?? '',
  };
  return { user, ids };
}

async function newCollection(user: TestUser): Promise<string> {
  return (await user.call('POST', `/v1/spaces/${user.spaceId}/collections`, { name: 'C' })).body.data.id;
}

async function newKey(user: TestUser): Promise<string> {
  return (await user.call('POST', '/v1/api-keys', { name: 'K' })).body.data.id;
}

/** Creates a source whose run does not end by itself. */
async function running(user: TestUser): Promise<string> {
  const url = await script(sitePath('hangs'), [{ hang: true }]);
  return (await user.create({ type: 'URI', initial_data: { data: url } })).id;
}

export interface GoodCall {
  /** Path parameters that differ from the owner's. */
  ids?: Ids;
  body?: Record<string, unknown>;
}

/**
 * Input of valid calls beyond the owner's ids and the document's example: new resources for operations that consume
 * them, and required states. The test of an operation that lacks an entry fails.
 */
export const goodCalls: Record<string, (user: TestUser, ids: Ids) => Promise<GoodCall>> = {
  'spaces.delete': async (user) => {
    const space = await user.call('POST', '/v1/spaces', { name: 'To delete' });
    return { ids: { spaceId: space.body.data.id } };
  },
  'collections.delete': async (user) => ({ ids: { collectionId: await newCollection(user) } }),
  'sources.cancel': async (user) => ({ ids: { sourceId: await running(user) } }),
  'sources.refresh': async (user) => {
    const url = await script(sitePath('page'), [{ body: 'a' }]);
    return { ids: { sourceId: (await user.create({ type: 'URI', initial_data: { data: url } })).id } };
  },
  'sources.reprocess': async (user) => ({ ids: { sourceId: (await user.content('a')).id } }),
  'sources.delete': async (user) => ({ ids: { sourceId: (await user.content('a')).id } }),
  'sources.update': async (user) => ({ ids: { sourceId: (await user.content('a')).id } }),
  'sources.redeliver': async (user) => {
    const { id } = await user.content('a', { postback_url: await script(sitePath('hook'), [{ status: 204 }]) });
    const [delivery] = await settledDeliveries(user, id);
    return { ids: { sourceId: id, postbackId: delivery?.id ?? '' } };
  },
  'postbacks.test': async () => ({ body: { url: await script(sitePath('hook'), [{ status: 204 }]) } }),
  'apiKeys.delete': async (user) => ({ ids: { keyId: await newKey(user) } }),
};
