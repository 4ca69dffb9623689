import { Webhook } from 'standardwebhooks';
import { createWebhookSecret, signWebhook } from '../../platform/webhook.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Verifies as a receiver does; timestamps more than five minutes off are rejected. */
function verifies(headers: Record<string, string>, body: string, receiverSecret: string): boolean {
  try {
    new Webhook(receiverSecret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

describe('signWebhook', () => {
  test('returns the signature of the standard’s test vector', () => {
    const headers = signWebhook({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
      secrets: [secret],
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('signs the UTF-8 bytes of the body and whole seconds', () => {
    // printf '%s' 'msg_1.1700000000.{"name":"Grüße 🦊"}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:... -binary | base64
    const headers = signWebhook({
      id: 'msg_1',
      timestamp: new Date(1_700_000_000_999),
      body: '{"name":"Grüße 🦊"}',
      secrets: [secret],
    });
    expect(headers['webhook-timestamp']).toBe('1700000000');
    expect(headers['webhook-signature']).toBe('v1,ksbt0fwXSTSX8IrQVEQlqAHbLDlb/YvXjQEer6CD9xY=');
  });

  const body = JSON.stringify({ type: 'source.completed', data: { name: 'Grüße' } });
  const sign = (secrets: string[]) => signWebhook({ id: 'msg_1', timestamp: new Date(), body, secrets });

  test('is verified by another implementation, and not after any part is changed', () => {
    const headers = sign([secret]);
    expect(verifies(headers, body, secret)).toBe(true);
    expect(verifies(headers, `${body} `, secret)).toBe(false);
    expect(verifies({ ...headers, 'webhook-id': 'msg_2' }, body, secret)).toBe(false);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(verifies({ ...headers, 'webhook-timestamp': later }, body, secret)).toBe(false);
    expect(verifies(headers, body, createWebhookSecret())).toBe(false);
  });

  test('is verified with either secret during a rotation, the newest signature first', () => {
    const newer = createWebhookSecret();
    const headers = sign([newer, secret]);
    expect(verifies(headers, body, newer)).toBe(true);
    expect(verifies(headers, body, secret)).toBe(true);
    expect(headers['webhook-signature']).toBe(
      `${sign([newer])['webhook-signature']} ${sign([secret])['webhook-signature']}`,
    );
  });

  test.each([
    ['no secret', 'msg_1', []],
    ['a secret without its prefix', 'msg_1', ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']],
    ['a secret that is not base64', 'msg_1', ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La*LaSw']],
    ['a key of 23 bytes', 'msg_1', [`whsec_${Buffer.alloc(23).toString('base64')}`]],
    ['a key of 65 bytes', 'msg_1', [`whsec_${Buffer.alloc(65).toString('base64')}`]],
    ['an id with a full stop', 'msg.1', [secret]],
  ])('throws a TypeError for %s', (_case, id, secrets) => {
    expect(() => signWebhook({ id, timestamp: new Date(), body, secrets })).toThrow(TypeError);
  });
});

test('createWebhookSecret returns a new key of 32 bytes each time', () => {
  const made = createWebhookSecret();
  expect(made).toMatch(/^whsec_/);
  expect(Buffer.from(made.slice('whsec_'.length), 'base64')).toHaveLength(32);
  expect(createWebhookSecret()).not.toBe(made);
});
