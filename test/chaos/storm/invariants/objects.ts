import type { FinalState, GenerationState, SourceState } from '../final-state.ts';

/** Ownership marker: names the database that the bucket belongs to. */
const OWNERSHIP_MARKER = 'database.json';

function keysOf({ contentKey, markdownKey, contextKey }: GenerationState): string[] {
  return [contentKey, markdownKey, contextKey].filter((key) => key !== null);
}

/** Keys of the newest generation, of the result generation, and of the generation that stored the content. */
function neededKeys({ generations, resultGeneration }: SourceState): string[] {
  const newest = generations.at(-1);
  const holders = [newest?.generation, resultGeneration, newest?.contentGeneration];
  return generations.filter(({ generation }) => holders.includes(generation)).flatMap(keysOf);
}

/** Neither the service nor the operator's "objects collect" removed a referenced object. */
export function noReferencedObjectIsMissing({ sources, objects, objectsBefore }: FinalState): string[] {
  const needed = new Set(sources.flatMap(neededKeys));
  const missingIn = (list: FinalState['objects'], when: string) => {
    const existing = new Set(list.map(({ key }) => key));
    return [...needed].filter((key) => !existing.has(key)).map((key) => `${key} is referenced and missing ${when}`);
  };
  return [...missingIn(objectsBefore, 'before "objects collect"'), ...missingIn(objects, 'after "objects collect"')];
}

/** The service's purges leave no object of a purged source, and "objects collect" leaves no unreferenced object. */
export function noUnreferencedObjects({ history, sources, objects, objectsBefore, uploadKeys }: FinalState): string[] {
  const needed = new Set(sources.flatMap(neededKeys));
  const uploads = new Set(uploadKeys);
  const existing = new Set(sources.map(({ id }) => id));
  // Without sources whose row a failover lost: their objects are kept for 24 h.
  const ids = [...history.sources.values()].flatMap((source) => [...source.ids]);
  const purged = new Set(ids.filter((id) => !existing.has(id)));
  const ofPurged = objectsBefore.filter(({ key }) => key.startsWith('sources/') && purged.has(key.split('/')[1] ?? ''));
  return [
    ...objects
      .filter(({ key }) => !needed.has(key) && !uploads.has(key) && key !== OWNERSHIP_MARKER)
      .map(({ key }) => `${key} is not referenced by any row`),
    ...ofPurged.map(({ key }) => `${key} exists, but its source is purged`),
  ];
}

/** A zombie attempt did not overwrite the content of another attempt. */
export function storedContentIsWhole({ sources, objects }: FinalState): string[] {
  const sizes = new Map(objects.map(({ key, sizeBytes }) => [key, sizeBytes]));
  return sources.flatMap(({ id, generations }) =>
    generations.flatMap(({ generation, contentKey, contentSize }) => {
      const size = contentKey ? sizes.get(contentKey) : undefined;
      if (size === undefined || contentSize === size) return [];
      return [`${id}, generation ${generation}: ${contentKey} has ${size} bytes, its row says ${contentSize}`];
    }),
  );
}
