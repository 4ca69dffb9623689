/** Lists show only resources of the owner. contract.test.ts tests the 404 for ids of other owners. */
import { newUser } from '../support/client.ts';

test('lists of spaces and keys show only those of the owner', async () => {
  const [user] = await Promise.all([newUser(), newUser()]);
  const spaces = await user.call('GET', '/v1/spaces');
  expect(spaces.body.data.map(({ id }: { id: string }) => id)).toEqual([user.spaceId]);
  const keys = await user.call('GET', '/v1/api-keys');
  expect(keys.body.data).toHaveLength(1);
});
