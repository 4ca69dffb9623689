/** A receiver has 15 s to respond. */
import { newUser, received, script, settledDeliveries, sitePath } from '../support/client.ts';
import type { SiteResponse } from '../support/site.ts';

const user = await newUser();

/** Creates a CONTENT source whose receiver sends these responses. */
async function sourceWith(responses: SiteResponse[]) {
  const path = sitePath('receiver');
  const { id } = await user.content('# Words\n\nSome words.', { postback_url: await script(path, responses) });
  return { id, path };
}

describe('a receiver that', () => {
  test.concurrent('does not respond within 15 s has a failed attempt', async () => {
    const { id, path } = await sourceWith([{ hang: true }, { status: 200 }]);
    const [delivery] = await settledDeliveries(user, id, 1, 25_000);
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempts: [
        { statusCode: null, response: null, error: expect.stringMatching(/^fetch_timeout: /) },
        { statusCode: 200 },
      ],
    });
    const waitedMs = delivery?.attempts[0]?.durationMs ?? 0;
    expect(waitedMs).toBeGreaterThanOrEqual(14_990);
    expect(waitedMs).toBeLessThan(16_500);
    expect((await received(path))[0]?.aborted).toBe(true);
  });

  test.concurrent('does not end its response counts by status, with the first 1 kB of the body', async () => {
    const { id, path } = await sourceWith([
      { stall: true, status: 500, body: 'x'.repeat(1_500) },
      { stall: true, body: 'Thank' },
    ]);
    const [delivery] = await settledDeliveries(user, id, 1, 25_000);
    expect(delivery).toMatchObject({
      state: 'delivered',
      attempts: [
        { statusCode: 500, response: 'x'.repeat(1_024) },
        { statusCode: 200, response: 'Thank' },
      ],
    });
    // The wait ends with the first 1 kB, or after 15 s.
    expect(delivery?.attempts[0]?.durationMs).toBeLessThan(10_000);
    expect(delivery?.attempts[1]?.durationMs).toBeLessThan(16_500);
    expect((await received(path)).map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
