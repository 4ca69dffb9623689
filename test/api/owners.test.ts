/** Lists show what is one's own; that ids of somebody else are answered like ids of nothing, contract.test.ts tries. */
import { newUser } from '../support/client.ts';

test('lists show what is one’s own', async () => {
  const [user] = await Promise.all([newUser(), newUser()]);
  const spaces = await user.call('GET', '/v1/spaces');
  expect(spaces.body.data.map(({ id }: { id: string }) => id)).toEqual([user.spaceId]);
  const keys = await user.call('GET', '/v1/api-keys');
  expect(keys.body.data).toHaveLength(1);
});
