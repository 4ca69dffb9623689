/** Removes unreferenced objects: replaced results, and objects that no row names. */
import { withBucketOwnership } from '../../../db/bucket-ownership.ts';
import {
  findUnreferencedObjects,
  findUnreferencedUploads,
  type GenerationObject,
  type ObjectRetention,
} from '../../../db/queries/retention/find-unreferenced-objects.ts';
import type { ListedObject } from '../../../platform/storage.ts';
import type { DispatcherDependencies } from '../dependencies.ts';

const BATCH = 1_000;
/** Unreferenced objects above both bounds are taken for a mistake: none is removed without `force`. */
const SUSPICIOUS_SHARE = 0.1;
const SUSPICIOUS_COUNT = 100;

/** How long an object that no row names is kept: its row may not be committed yet. */
export const UNNAMED_SECONDS = 24 * 3600;

export interface Collection {
  /** Objects in the bucket. */
  listed: number;
  /** Unreferenced objects. */
  superfluous: number;
  removed: number;
  /** None was removed, because suspiciously many were unreferenced. */
  stopped: boolean;
}

type CollectorDependencies = Pick<DispatcherDependencies, 'database' | 'storage'>;

interface Options extends ObjectRetention {
  /** Removes the objects even where they are suspiciously many. */
  force?: boolean;
  signal: AbortSignal;
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const generationKey = new RegExp(`^sources/(${uuid})/(${uuid})/${uuid}/`);

/** Returns the parts of a generation's key; null for a key that this service never makes, whose object is kept. */
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
 * Lists every object, then removes the unreferenced ones, unless they are suspiciously many.
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
    keys.push(...(await withBucketOwnership(deps, (session) => findUnreferencedObjects(session, ours, options))));
  }
  for await (const batch of batches(storage.list('uploads/', { signal }))) {
    listed += batch.length;
    keys.push(...(await withBucketOwnership(deps, (session) => findUnreferencedUploads(session, batch, options))));
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
