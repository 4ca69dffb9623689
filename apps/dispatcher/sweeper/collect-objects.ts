/** Removes objects that nobody needs: replaced results, and what was written in vain. */

import { withBucketOwnership } from '../../../db/bucket-ownership.ts';
import {
  findSuperfluousObjects,
  findSuperfluousUploads,
  type GenerationObject,
  type Kept,
} from '../../../db/queries/retention/find-unreferenced-objects.ts';
import type { ListedObject } from '../../../platform/storage.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const BATCH = 1_000;
/** More than this share of all objects, and more than so many, is taken for a mistake: nothing is removed then. */
const SUSPICIOUS_SHARE = 0.1;
const SUSPICIOUS_COUNT = 100;

/** How long the service keeps an object that no row names: its row may still be on its way. */
export const UNNAMED_SECONDS = 24 * 3600;

export interface Collection {
  /** Objects that were looked at. */
  listed: number;
  /** Those that nobody needs. */
  superfluous: number;
  removed: number;
  /** So many were superfluous that none was removed. */
  stopped: boolean;
}

type CollectorDependencies = Pick<DispatcherDependencies, 'database' | 'storage'>;

interface Options extends Kept {
  /** Removes even a suspicious share of all. */
  force?: boolean;
  signal: AbortSignal;
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const generationKey = new RegExp(`^sources/(${uuid})/(${uuid})/${uuid}/`);

/** The parts of a generation's key; null for a key that this service never made, which is left alone. */
function parse({ key, modifiedAt }: ListedObject): GenerationObject | null {
  const [, sourceId, generationId] = generationKey.exec(key) ?? [];
  return sourceId === undefined || generationId === undefined ? null : { key, sourceId, generationId, modifiedAt };
}

async function* batches(objects: AsyncIterable<ListedObject>): AsyncGenerator<ListedObject[]> {
  let batch: ListedObject[] = [];
  for await (const object of objects) {
    batch.push(object);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/**
 * Looks at every object, then removes the superfluous ones, unless there are suspiciously many.
 * @throws GarbageCollectionPausedError where the bucket does not belong to the database.
 */
export async function collectObjects(deps: CollectorDependencies, options: Options): Promise<Collection> {
  const { storage } = deps;
  const { signal, force = false } = options;
  const keys: string[] = [];
  let listed = 0;
  for await (const batch of batches(storage.list('sources/', { signal }))) {
    listed += batch.length;
    const ours = batch.flatMap((object) => parse(object) ?? []);
    keys.push(...(await withBucketOwnership(deps, (session) => findSuperfluousObjects(session, ours, options))));
  }
  for await (const batch of batches(storage.list('uploads/', { signal }))) {
    listed += batch.length;
    keys.push(...(await withBucketOwnership(deps, (session) => findSuperfluousUploads(session, batch, options))));
  }
  const found = { listed, superfluous: keys.length };
  if (!force && keys.length > SUSPICIOUS_COUNT && keys.length > listed * SUSPICIOUS_SHARE) {
    return { ...found, removed: 0, stopped: true };
  }
  for (let start = 0; start < keys.length; start += BATCH) {
    signal.throwIfAborted();
    await storage.deleteKeys(keys.slice(start, start + BATCH), { signal });
  }
  return { ...found, removed: keys.length, stopped: false };
}
