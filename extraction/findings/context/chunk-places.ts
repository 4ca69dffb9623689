/** Which parts and turns of a document each chunk has text of. */
import type { Chunk, ExtractedContext } from '../../../contract/extraction.ts';
import type { PackedChunk } from './chunks.ts';

const MAX_SPEAKERS = 20;

/** Adds parts and speakers to the chunks; all three lists are in the order of the document. */
export function placeChunks(
  chunks: readonly PackedChunk[],
  { turns, parts }: Pick<ExtractedContext, 'turns' | 'parts'>,
): Chunk[] {
  const partsIn = overlaps(parts);
  const turnsIn = overlaps(turns);
  return chunks.map((chunk) => {
    const [first, last] = partsIn(chunk);
    const [from, to] = turnsIn(chunk);
    const speakers = new Set<string>();
    for (let at = from; at < to && speakers.size < MAX_SPEAKERS; at += 1) speakers.add(turns[at]?.speaker ?? '');
    return {
      ...chunk,
      parts: first < last ? { first: parts[first]?.number ?? 1, last: parts[last - 1]?.number ?? 1 } : null,
      speakers: [...speakers],
    };
  });
}

/** For chunks in rising order: the range of the items, from the first to before the last index, that each overlaps. */
function overlaps(items: readonly Pick<PackedChunk, 'position'>[]): (chunk: PackedChunk) => [number, number] {
  let first = 0;
  return ({ position: { start, end } }) => {
    while (first < items.length && (items[first]?.position.end ?? 0) <= start) first += 1;
    let after = first;
    while (after < items.length && (items[after]?.position.start ?? 0) < end) after += 1;
    return [first, after];
  };
}
