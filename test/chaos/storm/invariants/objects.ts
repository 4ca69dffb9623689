import type { Evidence, GenerationEvidence, SourceEvidence } from '../evidence.ts';

/** Says which database the bucket belongs to. */
const DATABASE_MARK = 'database.json';

function keysOf({ contentKey, markdownKey, contextKey }: GenerationEvidence): string[] {
  return [contentKey, markdownKey, contextKey].filter((key) => key !== null);
}

/** The keys that the newest generation, the shown one and the one that holds the stored content name. */
function neededKeys({ generations, resultGeneration }: SourceEvidence): string[] {
  const newest = generations.at(-1);
  const holders = [newest?.generation, resultGeneration, newest?.contentGeneration];
  return generations.filter(({ generation }) => holders.includes(generation)).flatMap(keysOf);
}

export function noOrphanObjects({ sources, objects, uploadKeys }: Evidence): string[] {
  const needed = new Set(sources.flatMap(neededKeys));
  const uploads = new Set(uploadKeys);
  const there = new Set(objects.map(({ key }) => key));
  return [
    ...objects
      .filter(({ key }) => !needed.has(key) && !uploads.has(key) && key !== DATABASE_MARK)
      .map(({ key }) => `${key} is named by no row`),
    ...[...needed].filter((key) => !there.has(key)).map((key) => `${key} is named by a row and is not there`),
  ];
}

/** An attempt that was given up and lived on did not write over the content of another. */
export function storedContentIsWhole({ sources, objects }: Evidence): string[] {
  const sizes = new Map(objects.map(({ key, sizeBytes }) => [key, sizeBytes]));
  return sources.flatMap(({ id, generations }) =>
    generations.flatMap(({ generation, contentKey, contentSize }) => {
      const size = contentKey ? sizes.get(contentKey) : undefined;
      if (size === undefined || contentSize === size) return [];
      return [`${id}, generation ${generation}: ${contentKey} has ${size} bytes, its row says ${contentSize}`];
    }),
  );
}
