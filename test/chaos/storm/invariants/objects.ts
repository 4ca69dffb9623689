import type { FinalState, GenerationState, SourceState } from '../final-state.ts';

/** Says which database the bucket belongs to. */
const DATABASE_MARK = 'database.json';

function keysOf({ contentKey, markdownKey, contextKey }: GenerationState): string[] {
  return [contentKey, markdownKey, contextKey].filter((key) => key !== null);
}

/** The keys that the newest generation, the shown one and the one that holds the stored content name. */
function neededKeys({ generations, resultGeneration }: SourceState): string[] {
  const newest = generations.at(-1);
  const holders = [newest?.generation, resultGeneration, newest?.contentGeneration];
  return generations.filter(({ generation }) => holders.includes(generation)).flatMap(keysOf);
}

/** What the service itself removed in the storm was needed by nothing, nor is what its operator's collector removed. */
export function noNeededObjectIsMissing({ sources, objects, objectsBefore }: FinalState): string[] {
  const needed = new Set(sources.flatMap(neededKeys));
  const missingIn = (list: FinalState['objects'], when: string) => {
    const there = new Set(list.map(({ key }) => key));
    return [...needed].filter((key) => !there.has(key)).map((key) => `${key} is needed and was not there ${when}`);
  };
  return [...missingIn(objectsBefore, 'after the storm'), ...missingIn(objects, 'after objects collect')];
}

/** The service's own purges leave nothing of a source, and an operator's collector nothing that no row needs. */
export function noOrphanObjects({ history, sources, objects, objectsBefore, uploadKeys }: FinalState): string[] {
  const needed = new Set(sources.flatMap(neededKeys));
  const uploads = new Set(uploadKeys);
  const there = new Set(sources.map(({ id }) => id));
  // Objects of a source whose row a failover lost are kept for 24 h.
  const purged = new Set([...history.sources.values()].flatMap(({ ids }) => [...ids]).filter((id) => !there.has(id)));
  const ofPurged = objectsBefore.filter(({ key }) => key.startsWith('sources/') && purged.has(key.split('/')[1] ?? ''));
  return [
    ...objects
      .filter(({ key }) => !needed.has(key) && !uploads.has(key) && key !== DATABASE_MARK)
      .map(({ key }) => `${key} is named by no row`),
    ...ofPurged.map(({ key }) => `${key} is there, and its source is gone`),
  ];
}

/** An attempt that was given up and lived on did not write over the content of another. */
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
