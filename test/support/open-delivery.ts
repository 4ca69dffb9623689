/** A source whose run stays open, as it does for days while a receiver is away. */
import { deliveries, script, settledDeliveries, sitePath, type TestUser } from './client.ts';
import { until } from './until.ts';

/**
 * A source of two generations. The postback of the first was delivered and can be delivered again; that of the second
 * was tried once and waits ten minutes for its next attempt. Later generations owe none.
 */
export async function sourceWithOpenDelivery(user: TestUser) {
  const setUrl = (postback_url?: string) =>
    user.call('PATCH', `/v1/sources/${id}`, { instructions: postback_url === undefined ? {} : { postback_url } });
  const { id } = await user.content('Some words.', {
    postback_url: await script(sitePath('there'), [{ status: 200 }]),
  });
  const [delivered] = await settledDeliveries(user, id);
  await setUrl(await script(sitePath('away'), [{ status: 503, headers: { 'retry-after': '600' } }]));
  await user.call('POST', `/v1/sources/${id}/reprocess`);
  await until('the second was tried', async () =>
    (await deliveries(user, id)).some(({ generation, attempts }) => generation === 2 && attempts.length === 1),
  );
  await setUrl();
  /** Delivers the postback of the first generation once more and waits until it is there. */
  async function redeliver(): Promise<void> {
    await user.call('POST', `/v1/sources/${id}/postbacks/${delivered?.id}/redeliver`);
    await until('it is delivered', async () =>
      (await deliveries(user, id)).some(({ id, state }) => id === delivered?.id && state === 'delivered'),
    );
  }
  return { id, redeliver };
}
