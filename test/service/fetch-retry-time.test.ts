import { newUser, received, script, sitePath } from '../support/client.ts';

test('a page with 503 is retried for less than 3.5 s, then fails as retryable', async () => {
  const user = await newUser();
  const path = sitePath('down');
  const data = await script(path, [{ status: 503 }]);
  const { id } = await user.create({ type: 'URI', initial_data: { data } });
  expect(await user.reach(id, 'FAILED')).toMatchObject({
    error: {
      code: 'fetch_http_status',
      stage: 'fetch',
      retryable: true,
      message: expect.stringMatching(/: refresh the source later\.$/),
    },
  });
  const attempts = await received(path);
  expect(attempts.length).toBeGreaterThan(1);
  expect((attempts.at(-1)?.at ?? 0) - (attempts[0]?.at ?? 0)).toBeLessThan(3_500);
});
