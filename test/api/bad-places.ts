/** Placeholders of the table in bad-inputs.test.ts: `$name` in a path, a body or a header stands for its value. */
import { Pool } from 'pg';
import { createUser } from '../../db/transitions/users/create-user.ts';
import { createKey } from '../../platform/api-key.ts';
import { newUser } from '../support/client.ts';
import { stack } from '../support/stack.ts';

export type Placeholders = Awaited<ReturnType<typeof preparePlaceholders>>;

/** Creates a user with a space, sources and keys of every kind, and another owner whose resources are 404 for them. */
export async function preparePlaceholders() {
  const [user, other] = await Promise.all([newUser(), newUser()]);
  const id = async (response: Promise<{ body: { data: { id: string } } }>) => (await response).body.data.id;
  const collection = (spaceId: string, parentId: string | null) =>
    id(user.call('POST', `/v1/spaces/${spaceId}/collections`, { name: 'C', parentId }));

  const key = async (body: object) => (await user.call('POST', '/v1/api-keys', { name: 'K', ...body })).body.data;
  const deleted = await key({});
  await user.call('DELETE', `/v1/api-keys/${deleted.id}`);
  const expired = await key({});
  const pool = new Pool({ connectionString: stack().settings.DATABASE_URL, max: 1 });
  await pool.query("update api_keys set expires_at = now() - interval '1 second' where id = $1", [expired.id]);
  const disabled = await createUser(pool, { email: `${expired.id}@example.com`, name: 'Gone', plan: 'pro' });
  await pool.query('update users set disabled_at = now() where id = $1', [disabled.userId]);
  await pool.end();
  const limited = await key({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });

  let deep = await collection(user.spaceId, null);
  const top = deep;
  for (let level = 2; level <= 32; level += 1) deep = await collection(user.spaceId, deep);

  const spaceTwo = await id(user.call('POST', '/v1/spaces', { name: 'Two' }));
  const grant = { filename: 'a.txt', contentType: 'text/plain', size: 1 };
  const othersFile = (await other.call('POST', '/v1/upload/s3', grant)).body;
  await fetch(othersFile.uploadUrl, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'a' });
  const source = await user.create({ type: 'CONTENT', initial_data: { data: 'a' }, externalId: 'taken' });
  const inSpaceTwo = await user.call('POST', `/v1/spaces/${spaceTwo}/sources`, {
    type: 'CONTENT',
    initial_data: { data: 'a' },
    instructions: {},
  });
  const cursorOfSpaces = (await user.call('GET', '/v1/spaces?limit=1')).body.nextCursor;
  await user.reach(source.id, 'COMPLETED');
  return {
    apiUrl: user.apiUrl,
    $key: user.key,
    $mistypedKey: user.key.replace(/.(?=.{20}$)/, (letter) => (letter === 'A' ? 'B' : 'A')),
    $readKey: (await key({ scopes: ['read'] })).key,
    $deletedKey: deleted.key,
    $expiredKey: expired.key,
    $disabledKey: disabled.key,
    $unknownKey: createKey().key,
    $limitedKey: limited.key,
    $spaceTwo: spaceTwo,
    $space: user.spaceId,
    $othersSpace: other.spaceId,
    $othersSource: (await other.content('a')).id,
    $othersFile: othersFile.fileKey,
    $unfinishedFile: (await user.call('POST', '/v1/upload/s3', grant)).body.fileKey,
    $sourceInSpaceTwo: inSpaceTwo.body.data.id,
    $source: source.id,
    $topCollection: top,
    $deepCollection: deep,
    $collectionInSpaceTwo: await collection(spaceTwo, null),
    $cursorOfSpaces: cursorOfSpaces,
    $unknownId: '01890000-0000-7000-8000-000000000000',
  };
}

/** Replaces every `$name` in the text by its value. */
export function fill(text: string, placeholders: Placeholders): string {
  const names = Object.keys(placeholders).sort((a, b) => b.length - a.length);
  const values = new Map(Object.entries(placeholders));
  return names.reduce(
    (filled, name) => (name.startsWith('$') ? filled.replaceAll(name, () => values.get(name) ?? '') : filled),
    text,
  );
}
