import { applyRetryPolicy } from '../../activities/retry-policy.ts';
import { parseConfig, requiredSettingNames } from '../../platform/config.ts';

const { POSTBACK_SCHEDULE_SECONDS: schedule } = parseConfig({
  ...Object.fromEntries(
    requiredSettingNames.map((name) => [name, name.endsWith('URL') ? 'postgres://host/x' : 'http://x']),
  ),
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
});
const now = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

/** Delay in milliseconds between attempt number `made` and the next one. */
const delayAfter = (made: number, random: number, retryAfterMs?: number) => {
  const decision = applyRetryPolicy(schedule, made, { statusCode: 503, retryAfterMs }, now, random);
  expect(decision).toMatchObject({ state: 'pending', reason: null });
  return (decision.nextAttemptAt?.getTime() ?? 0) - now;
};

test('ten delivery attempts: immediately, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
  expect(schedule[0]).toBe(0);
  const delays = Array.from({ length: 9 }, (_, made) => delayAfter(made + 1, 0));
  expect(delays).toEqual([5_000, 300_000, HOUR_MS / 2, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)]);
  expect(applyRetryPolicy(schedule, 10, { statusCode: 503, retryAfterMs: 1_000 }, now)).toEqual({
    state: 'failed',
    nextAttemptAt: null,
    reason: 'None of 10 attempts got a success response.',
  });
});

test('each delay has a random jitter of up to 10 %', () => {
  expect(delayAfter(2, 0.5)).toBe(315_000);
  expect(delayAfter(2, 1)).toBe(330_000);
  const delays = Array.from({ length: 100 }, () =>
    applyRetryPolicy(schedule, 2, { statusCode: 500, retryAfterMs: undefined }, now),
  );
  expect(new Set(delays.map(({ nextAttemptAt }) => nextAttemptAt?.getTime())).size).toBeGreaterThan(90);
});

test('Retry-After lengthens a delay to at most a day and never shortens it', () => {
  expect(delayAfter(1, 1, 60_000)).toBe(60_000);
  expect(delayAfter(2, 0, 60_000)).toBe(300_000);
  expect(delayAfter(1, 0, 365 * 24 * HOUR_MS)).toBe(24 * HOUR_MS);
});

test.each([
  [200, 'delivered'],
  [299, 'delivered'],
  [410, 'disabled'],
  [null, 'pending'],
  [199, 'pending'],
  [301, 'pending'],
  [308, 'pending'],
  [400, 'pending'],
  [404, 'pending'],
  [429, 'pending'],
  [500, 'pending'],
])('after status %s the postback is %s', (statusCode, state) => {
  expect(applyRetryPolicy(schedule, 1, { statusCode, retryAfterMs: undefined }, now)).toMatchObject({ state });
});
