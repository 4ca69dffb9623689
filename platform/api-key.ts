/** API keys: `cws_`, 256 random bits, and a checksum by which a mistyped key is known without asking the database. */
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

/** What is kept of a key: its SHA-256, and enough to recognise it in a list. */
export interface NewKey {
  key: string;
  keyHash: Buffer;
  prefix: string;
  last4: string;
}

/** A new random key. The key itself is shown once; only the rest is stored. */
export function createKey(): NewKey {
  const random = randomBytes(32).toString('base64url');
  const key = `${PREFIX}${random}${checksum(random)}`;
  return { key, keyHash: hashOf(key), prefix: key.slice(0, PREFIX.length + 4), last4: key.slice(-4) };
}

/** The SHA-256 by which a key is stored and found. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** True for a string of a key's form with the right checksum. */
export function isWellFormedKey(text: string): boolean {
  if (text.length !== PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(PREFIX)) return false;
  const random = text.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  return checksum(random) === text.slice(PREFIX.length + RANDOM_LENGTH);
}
