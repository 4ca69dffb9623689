/** API keys: `cws_`, 256 random bits, and a checksum that detects a mistyped key without a query. */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'cws_';
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

function checksum(random: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
}

/** A new key with its stored form: the SHA-256, and first and last characters for lists. */
export interface NewKey {
  key: string;
  keyHash: Buffer;
  prefix: string;
  last4: string;
}

/** Creates a random key. `key` itself is shown once and never stored. */
export function createKey(): NewKey {
  const random = randomBytes(32).toString('base64url');
  const key = `${PREFIX}${random}${checksum(random)}`;
  return { key, keyHash: hashOf(key), prefix: key.slice(0, PREFIX.length + 4), last4: key.slice(-4) };
}

/** Returns the SHA-256 by which a key is stored and looked up. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Whether `text` has the form of a key and a correct checksum. */
export function isWellFormedKey(text: string): boolean {
  if (text.length !== PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(PREFIX)) return false;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return checksum(random) === text.slice(PREFIX.length + RANDOM_LENGTH);
}
