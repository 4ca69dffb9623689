import { randomBytes } from 'node:crypto';
import { parseConfig } from '../../platform/config.ts';
import { createSecrets, SecretsKeyError } from '../../platform/secrets.ts';
import { stack } from '../support/stack.ts';

const [key, previous, unrelated] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const secrets = createSecrets({ SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: [] });
const [owner, other] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'];

test('a secret is decrypted for its owner, and its ciphertext differs each time and lacks the plaintext', () => {
  const stored = [1, 2].map(() => secrets.encrypt('whsec_secret', owner));
  expect(stored[0]).not.toBe(stored[1]);
  for (const one of stored) {
    expect(one).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
    expect(one.startsWith(secrets.prefix)).toBe(true);
    expect(Buffer.from(one.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('secret');
    expect(secrets.decrypt(one, owner)).toBe('whsec_secret');
  }
});

test('decryption fails for another owner, a changed character or another key', () => {
  const stored = secrets.encrypt('whsec_secret', owner);
  const parts = stored.split('.');
  const changed = parts.map((part, at) =>
    at < 2
      ? null
      : [...parts.slice(0, at), `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`, ...parts.slice(at + 1)],
  );
  const others = changed.flatMap((one) => (one === null ? [] : [one.join('.')]));
  expect(others).toHaveLength(2);
  for (const one of [...others, 'v1.00', '', 'whsec_plain', `v2${stored.slice(2)}`]) {
    expect(() => secrets.decrypt(one, owner)).toThrow(SecretsKeyError);
  }
  expect(() => secrets.decrypt(stored, other)).toThrow(SecretsKeyError);
  const wrong = createSecrets({ SECRETS_KEY: unrelated, SECRETS_KEY_PREVIOUS: [] });
  expect(() => wrong.decrypt(stored, owner)).toThrow(/neither SECRETS_KEY nor in SECRETS_KEY_PREVIOUS/);
});

test('a previous key decrypts, and the current key encrypts', () => {
  const before = createSecrets({ SECRETS_KEY: previous, SECRETS_KEY_PREVIOUS: [] });
  const rotated = createSecrets({ SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: [unrelated, previous] });
  const stored = before.encrypt('whsec_old', owner);
  expect(rotated.decrypt(stored, owner)).toBe('whsec_old');
  expect(rotated.encrypt('whsec_new', owner).startsWith(secrets.prefix)).toBe(true);
});

test.each([
  ['SECRETS_KEY', undefined, 'SECRETS_KEY: must be set'],
  ['SECRETS_KEY', 'short', 'SECRETS_KEY: must be base64 of 32 bytes'],
  ['SECRETS_KEY', `${randomBytes(33).toString('base64')}`, 'SECRETS_KEY: must be base64 of 32 bytes'],
  ['SECRETS_KEY_PREVIOUS', `${previous.toString('base64')},x`, 'SECRETS_KEY_PREVIOUS: must be keys as SECRETS_KEY'],
])('%s as %s is rejected and named', (name, value, message) => {
  expect(() => parseConfig({ ...stack().settings, [name]: value })).toThrow(message);
});

test('SECRETS_KEY_PREVIOUS is a comma-separated list', () => {
  const list = [previous, unrelated].map((one) => one.toString('base64')).join(', ');
  const { SECRETS_KEY_PREVIOUS } = parseConfig({ ...stack().settings, SECRETS_KEY_PREVIOUS: list });
  expect(SECRETS_KEY_PREVIOUS).toEqual([previous, unrelated]);
});
