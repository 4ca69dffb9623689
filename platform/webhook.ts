/** Signatures of postbacks: Standard Webhooks 1.0 (https://www.standardwebhooks.com), symmetric version `v1`. */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
/** Limits of the standard, in bytes of the decoded key. */
const KEY_MIN_BYTES = 24;
const KEY_MAX_BYTES = 64;

export type WebhookHeaders = {
  'webhook-id': string;
  /** Seconds since 1970. */
  'webhook-timestamp': string;
  /** One `v1,<base64>` for each secret, separated by spaces. */
  'webhook-signature': string;
};

/**
 * Returns the three headers for `body`, which must be sent unchanged (UTF-8).
 * @param message.id the same on every attempt of one message; without a full stop, which separates the signed parts.
 * @param message.timestamp time of this attempt.
 * @param message.secrets `whsec_` secrets, newest first: during a rotation receivers accept a match with any of them.
 * @throws TypeError for an id that is empty or has a full stop, without secrets, and for a secret that is not 24 to 64
 *   bytes of base64.
 */
export function signWebhook(message: {
  id: string;
  timestamp: Date;
  body: string;
  secrets: readonly string[];
}): WebhookHeaders {
  const { id, body, secrets } = message;
  if (id === '' || id.includes('.')) throw new TypeError('a webhook id must be given and must not contain a full stop');
  if (secrets.length === 0) throw new TypeError('a webhook needs a secret');
  const timestamp = String(Math.floor(message.timestamp.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', signingKey(secret));
    return `v1,${hmac.update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Creates a random secret: `whsec_` and the base64 of 32 bytes. */
export function createWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
}

/** Returns the key of a secret. The messages never contain the secret. */
function signingKey(secret: string): Buffer {
  const encoded = secret.slice(SECRET_PREFIX.length);
  // Buffer.from skips characters that are not base64: a damaged secret would sign with another key.
  if (!secret.startsWith(SECRET_PREFIX) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
    throw new TypeError('a webhook secret must be whsec_ and base64');
  }
  const key = Buffer.from(encoded, 'base64');
  if (key.length < KEY_MIN_BYTES || key.length > KEY_MAX_BYTES) {
    throw new TypeError(`a webhook secret must have ${KEY_MIN_BYTES} to ${KEY_MAX_BYTES} bytes`);
  }
  return key;
}
