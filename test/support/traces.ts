/** Searches for words of a user in every table, object, execution, log file and mail. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, inflateRawSync, unzipSync } from 'node:zlib';
import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import type { Storage } from '../../platform/storage.ts';

/** Signature of a ZIP local file header. The lengths at 26 and 28 determine where the entry's data begins. */
const ZIP_ENTRY = Buffer.from('PK\x03\x04', 'latin1');

/** Searches bytes for words: as text in any case, as base64 at each of its three offsets, and as hexadecimal. */
export class Words {
  readonly #forms: Buffer[];

  constructor(words: readonly string[]) {
    this.#forms = words.flatMap((word) => {
      const text = Buffer.from(word.toLowerCase());
      const encoded = [0, 1, 2].map((offset) => {
        const whole = Buffer.concat([Buffer.alloc(offset), text])
          .toString('base64')
          .replace(/=+$/, '');
        // Without the characters that depend on adjacent bytes.
        return whole.slice(offset === 0 ? 0 : offset + 1, -1);
      });
      return [text, ...encoded.map((form) => Buffer.from(form.toLowerCase())), Buffer.from(text.toString('hex'))];
    });
  }

  /** Returns whether one of the words occurs in it. */
  isIn(bytes: Uint8Array | string): boolean {
    // Latin 1 keeps each byte. Lower case makes base64 ambiguous: it allows false positives, but no false negatives.
    const lower = Buffer.from(Buffer.from(bytes).toString('latin1').toLowerCase(), 'latin1');
    return this.#forms.some((form) => lower.includes(form));
  }

  /** Returns whether one of the words occurs in it, or in compressed data in it. */
  isInFile(bytes: Buffer): boolean {
    return [bytes, ...inflated(bytes)].some((part) => this.isIn(part));
  }
}

/** Returns the decompressed data of a file: of the whole file as gzip or zlib, and of the entries of a ZIP. */
function inflated(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  const attempt = (inflate: () => Buffer) => {
    try {
      parts.push(inflate());
    } catch {
      // Not compressed in this format.
    }
  };
  attempt(() => unzipSync(bytes));
  for (let at = bytes.indexOf(ZIP_ENTRY); at !== -1; at = bytes.indexOf(ZIP_ENTRY, at + 4)) {
    if (at + 30 > bytes.length) break;
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    attempt(() => inflateRawSync(bytes.subarray(start), { finishFlush: constants.Z_SYNC_FLUSH }));
  }
  return parts;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns the tables of the schema that have a row with one of the words in any column. */
export async function tablesWith(pool: Pool, words: Words): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${quoted(name)} t`);
    if (rows.some(({ row }) => words.isIn(row))) found.push(name);
  }
  return found;
}

/** Returns the keys of objects with one of the words in their key, content type or body. */
export async function objectsWith(storage: Storage, words: Words): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of storage.list('')) {
    const { body, contentType } = await storage.get(key);
    if (words.isIn(key) || words.isIn(contentType) || words.isInFile(Buffer.from(body))) found.push(key);
  }
  return found;
}

/** Yields every string, byte array and property name of a value, recursively. */
function* leaves(value: unknown): Generator<string | Uint8Array> {
  if (typeof value === 'string' || value instanceof Uint8Array) yield value;
  else if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      yield key;
      yield* leaves(one);
    }
  }
}

/** Returns the executions that Temporal lists, open and closed. */
export async function listExecutions(client: Client, query = ''): Promise<{ workflowId: string; runId: string }[]> {
  const found: { workflowId: string; runId: string }[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query })) found.push({ workflowId, runId });
  return found;
}

/** Returns the executions with one of the words in their list entry, description or history. */
export async function executionsWithWords(client: Client, words: Words): Promise<string[]> {
  const found: string[] = [];
  for await (const listed of client.workflow.list()) {
    const handle = client.workflow.getHandle(listed.workflowId, listed.runId);
    const parts: unknown[] = [listed.raw, (await handle.describe()).raw, await handle.fetchHistory()];
    const leaf = parts.flatMap((part) => [...leaves(part)]).find((one) => words.isIn(one));
    if (leaf !== undefined) found.push(`${listed.workflowId}/${listed.runId}: ${Buffer.from(leaf).toString('utf8')}`);
  }
  return found;
}

/** Returns the tables of Temporal's own database (SQLite, in `folder`) that have a row with one of the words. */
export function temporalTablesWith(folder: string, words: Words): string[] {
  const database = new DatabaseSync(join(folder, 'temporal', 'temporal.db'), { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    return tables
      .map(({ name }) => String(name))
      .filter((name) => {
        for (const row of database.prepare(`select * from ${quoted(name)}`).iterate()) {
          for (const leaf of leaves(row)) if (words.isIn(leaf)) return true;
        }
        return false;
      });
  } finally {
    database.close();
  }
}

/** Returns the files of a folder with one of the words in their name or content. */
export async function filesWith(folder: string, words: Words): Promise<string[]> {
  const names = await readdir(folder);
  const found = await Promise.all(
    names.map(async (name) => (words.isIn(name) || words.isInFile(await readFile(join(folder, name))) ? name : null)),
  );
  return found.filter((name) => name !== null);
}
