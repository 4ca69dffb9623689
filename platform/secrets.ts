/**
 * Secrets at rest: AES-256-GCM with a key of the settings, bound to the owner as additional data. The stored text names
 * its key, for rotation: `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Config } from './config.ts';

const VERSION = 'v1';
const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D: 96 bits, random for each encryption. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 8;

/** No key of the settings decrypts a stored secret. The message names the settings. */
export class SecretsKeyError extends Error {
  override readonly name = 'SecretsKeyError';
}

export interface Secrets {
  /** Prefix of every secret that is encrypted with SECRETS_KEY. */
  readonly prefix: string;
  /** Encrypts a text, which can be decrypted only for the same `owner`. */
  encrypt(text: string, owner: string): string;
  /** @throws SecretsKeyError if no key of the settings decrypts it for this owner. */
  decrypt(stored: string, owner: string): string;
}

/** Returns the first characters of the key's SHA-256, which identify the key without revealing it. */
function idOf(key: Uint8Array): string {
  return createHash('sha256').update('secrets key').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS);
}

/** Encrypts with SECRETS_KEY; decrypts with it and with those of SECRETS_KEY_PREVIOUS. */
export function createSecrets(config: Pick<Config, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>): Secrets {
  const keys = new Map([config.SECRETS_KEY, ...config.SECRETS_KEY_PREVIOUS].map((key) => [idOf(key), key]));
  const currentId = idOf(config.SECRETS_KEY);
  return {
    prefix: `${VERSION}.${currentId}.`,
    encrypt(text, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, config.SECRETS_KEY, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(owner));
      const parts = [cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return [VERSION, currentId, nonce.toString('base64url'), Buffer.concat(parts).toString('base64url')].join('.');
    },
    decrypt(stored, owner) {
      const [version, id = '', nonce = '', body = ''] = stored.split('.');
      const key = keys.get(id);
      if (version !== VERSION || key === undefined) {
        throw new SecretsKeyError(
          `A stored secret was encrypted with the key ${id}, which is neither SECRETS_KEY nor in SECRETS_KEY_PREVIOUS.`,
        );
      }
      const bytes = Buffer.from(body, 'base64url');
      try {
        const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(owner));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
      } catch (error) {
        throw new SecretsKeyError(
          `A stored secret cannot be decrypted with the key ${id} of SECRETS_KEY or SECRETS_KEY_PREVIOUS: ` +
            "it is damaged, or another user's.",
          { cause: error },
        );
      }
    },
  };
}
