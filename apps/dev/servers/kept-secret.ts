/** Passwords and keys that are made at the first start and found again at the next ones. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../binaries/error-parts.ts';

/** 192 random bits in characters that need no escaping in a URL or a shell. */
export function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** The text of the file at `path`, or undefined where there is none. */
export async function readKept(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes `text` to `path`, readable by its owner alone; whole or not at all. */
export async function keep(path: string, text: string): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await writeFile(unfinished, `${text}\n`, { mode: 0o600 });
  await rename(unfinished, path);
}

/** The key that encrypts the secrets in the database of this data folder (SECRETS_KEY). Without it they are lost. */
export async function keptSecretsKey(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'secrets-key');
  const kept = await readKept(file);
  if (kept !== undefined) return kept;
  const key = randomBytes(32).toString('base64');
  await keep(file, key);
  return key;
}
