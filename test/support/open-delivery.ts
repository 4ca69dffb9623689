/** A source whose run stays open because its receiver is down. */
import { deliveries, script, settledDeliveries, sitePath, type TestUser } from './client.ts';
import { until } from './until.ts';

/**
 * Creates a source with two generations. The postback of the first is delivered and can be redelivered; the postback of
 * the second failed once and waits ten minutes for its next attempt. Later generations have no postback.
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
  await until('the second postback had an attempt', async () =>
    (await deliveries(user, id)).some(({ generation, attempts }) => generation === 2 && attempts.length === 1),
  );
  await setUrl();
  /** Redelivers the postback of the first generation and waits until it is delivered. */
  async function redeliver(): Promise<void> {
    await user.call('POST', `/v1/sources/${id}/postbacks/${delivered?.id}/redeliver`);
    await until('the first postback is delivered again', async () =>
      (await deliveries(user, id)).some(({ id, state }) => id === delivered?.id && state === 'delivered'),
    );
  }
  return { id, redeliver };
}
