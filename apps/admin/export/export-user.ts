/** Export of a user's data as Markdown and JSON; docs/operations.md lists the files. */
import { readContextFile } from '../../../contract/context-file.ts';
import type { ContextSummary } from '../../../contract/extraction.ts';
import type { Database } from '../../../db/orm.ts';
import {
  type ExportedSource,
  type ExportedSpace,
  readExportedArtifacts,
  readExportedCollections,
  readExportedSources,
  readExportedSpaces,
  readExportedText,
  readExportedTickets,
} from '../../../db/queries/users/export-user.ts';
import type { Storage } from '../../../platform/storage.ts';
import { ObjectMissingError } from '../../../platform/storage-errors.ts';
import { extensionOf, folderName } from './paths.ts';
import type { ZipWriter } from './zip-writer.ts';

const PAGE = 100;
const texts = /^(text\/|application\/(json|xml|xhtml\+xml)|image\/svg)/i;

interface ExportDependencies {
  database: Database;
  storage: Storage;
  zip: ZipWriter;
}

export interface ExportCounts {
  spaces: number;
  collections: number;
  sources: number;
  artifacts: number;
  tickets: number;
  /** Objects that a row names and the bucket lacks. */
  missingObjects: number;
}

/** Yields rows page by page, each page after the last id of the previous one. */
async function* paged<Row extends { id: string }>(
  read: (after: string | null, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let after: string | null = null;
  for (let page = await read(after, PAGE); page.length > 0; page = await read(after, PAGE)) {
    yield* page;
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE) return;
  }
}

/** Streams a JSON array, one row per line; calls `onRow` for each row. */
async function* jsonList(rows: AsyncIterable<unknown>, onRow: () => void): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const row of rows) {
    onRow();
    yield `${separator}${JSON.stringify(row)}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns a context with all its chunks as JSON; null without one. */
async function wholeContext(summary: ContextSummary | null, file: Uint8Array | null): Promise<string | null> {
  if (summary === null || file === null) return null;
  const count = summary.statistics.chunks;
  const readRange = async (from: number, to: number) => file.subarray(from, to);
  return json({ ...summary, ...(await readContextFile(readRange, { count, from: 0, limit: count })) });
}

/** Writes the user's spaces with everything in them, and their tickets; returns the counts. */
export async function exportUser(
  { database, storage, zip }: ExportDependencies,
  user: { id: string; email: string; name: string; plan: string; createdAt: Date },
): Promise<ExportCounts> {
  const { pool } = database;
  const counts: ExportCounts = { spaces: 0, collections: 0, sources: 0, artifacts: 0, tickets: 0, missingObjects: 0 };

  /** Returns an object's bytes, or null if it is missing. */
  async function read(key: string | null): Promise<Uint8Array | null> {
    if (key === null) return null;
    try {
      return (await storage.get(key)).body;
    } catch (error) {
      if (!(error instanceof ObjectMissingError)) throw error;
      counts.missingObjects += 1;
      return null;
    }
  }

  /** Returns the content of a source with its file name in the export. */
  async function original(source: ExportedSource): Promise<{ name: string; body: Uint8Array | string } | null> {
    const body = source.type === 'CONTENT' ? await readExportedText(pool, source.id) : await read(source.contentKey);
    if (body === null) return null;
    const extension = source.type === 'CONTENT' ? '.txt' : extensionOf(source.filename, source.contentType);
    return { name: `original${extension}`, body };
  }

  async function exportSource(folder: string, source: ExportedSource): Promise<void> {
    const { contentKey: _, markdownKey, contextKey, context, initialData: initial_data, ...fields } = source;
    const modifiedAt = source.updatedAt;
    const files: string[] = [];
    const add = async (name: string, body: string | Uint8Array | null, compress = true) => {
      if (body === null) return;
      await zip.add(`${folder}/${name}`, body, { modifiedAt, compress });
      files.push(name);
    };
    const content = await original(source);
    if (content !== null) {
      await add(content.name, content.body, source.type === 'CONTENT' || texts.test(source.contentType ?? ''));
    }
    await add('content.md', await read(markdownKey));
    await add('context.json', await wholeContext(context, await read(contextKey)));
    const page = await readExportedArtifacts(pool, source.id, null, 1);
    if (page.length > 0) {
      const artifacts = paged((after, limit) => readExportedArtifacts(pool, source.id, after, limit));
      const body = jsonList(artifacts, () => {
        counts.artifacts += 1;
      });
      await zip.addText(`${folder}/artifacts.json`, body, { modifiedAt });
      files.push('artifacts.json');
    }
    await add('source.json', json({ ...fields, initial_data, files }));
    counts.sources += 1;
  }

  async function exportSpace(space: ExportedSpace): Promise<void> {
    const folder = `spaces/${folderName(space.name, space.id)}`;
    const modifiedAt = space.updatedAt;
    await zip.add(`${folder}/space.json`, json(space), { modifiedAt });
    const collections = paged((after, limit) => readExportedCollections(pool, space.id, after, limit));
    const list = jsonList(collections, () => {
      counts.collections += 1;
    });
    await zip.addText(`${folder}/collections.json`, list, { modifiedAt });
    for await (const source of paged((after, limit) => readExportedSources(pool, space.id, after, limit))) {
      await exportSource(`${folder}/sources/${folderName(source.name, source.id)}`, source);
    }
    counts.spaces += 1;
  }

  for await (const space of paged((after, limit) => readExportedSpaces(pool, user.id, after, limit))) {
    await exportSpace(space);
  }
  const tickets = jsonList(
    paged((after, limit) => readExportedTickets(pool, user.id, after, limit)),
    () => {
      counts.tickets += 1;
    },
  );
  await zip.addText('tickets.json', tickets, { modifiedAt: new Date() });
  return counts;
}
