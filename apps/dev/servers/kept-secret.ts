/** Passwords and keys that the first start creates in the data folder and later starts read. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../binaries/error-parts.ts';

/** Returns 192 random bits as base64url, which needs no escaping in a URL or a shell. */
export function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** Returns the text of the file at `path`, or undefined if it does not exist. */
export async function readSecret(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes `text` to `path` atomically, with mode 0600. */
export async function writeSecret(path: string, text: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await writeFile(unfinished, `${text}\n`, { mode: 0o600 });
  await rename(unfinished, path);
}

/** Returns SECRETS_KEY of this data folder, created by the first call. Without it the database's secrets are lost. */
export async function loadSecretsKey(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'secrets-key');
  const stored = await readSecret(file);
  if (stored !== undefined) return stored;
  const key = randomBytes(32).toString('base64');
  await writeSecret(file, key);
  return key;
}
