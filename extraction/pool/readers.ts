/**
 * Which child may read a document, by the owners whose documents it has read.
 *
 * A document that takes over a native parser has all that its process remembers and will be given. So native code runs
 * only in a child that has read nothing but documents of one owner, and from then on that child is `exclusive`: it reads for
 * nobody else. So is one in which a document changed what all documents share (shared-objects.ts). JavaScript alone
 * gives a document neither memory nor code, so children that run nothing else read for all owners.
 */

/** What a child has read. */
export interface Reader {
  /** Whether it waits for a document. */
  isFree: boolean;
  /** Of the document that it read last; undefined where it has read none. */
  owner: string | undefined;
  /** Whether all that it has read is of that owner. */
  hasOneOwner: boolean;
  isExclusive: boolean;
  /** How long it has read for its owner since it is exclusive, in milliseconds. */
  exclusiveMs: number;
}

/** Somebody's document. */
export interface Waiting {
  owner: string;
  /** Whether native code is to read it. */
  needsOwnReader: boolean;
}

/**
 * While its owner has more to read, an exclusive child stays with it for so long before others get their turn: its
 * replacement takes as much processor time.
 */
const EXCLUSIVE_TURN_MS = 1_000;

function mayRead({ owner, hasOneOwner, isExclusive }: Reader, waiting: Waiting): boolean {
  if (owner === undefined) return true;
  const isOwn = owner === waiting.owner;
  return (isOwn || !isExclusive) && (!waiting.needsOwnReader || (isOwn && hasOneOwner));
}

/** The owner's exclusive child is first choice, one that no native code may use any more second, a fresh one last. */
function cost({ owner, hasOneOwner, isExclusive }: Reader): number {
  if (isExclusive) return 0;
  if (!hasOneOwner) return 1;
  return owner === undefined ? 3 : 2;
}

/** The free child that is to read the document; undefined where none may. */
export function readerFor<R extends Reader>(readers: Iterable<R>, waiting: Waiting): R | undefined {
  return [...readers]
    .filter((reader) => reader.isFree && mayRead(reader, waiting))
    .toSorted((one, other) => cost(one) - cost(other))[0];
}

/** The free child that a fresh one should take the place of, when those that are free may not read what waits. */
export function readerToReplace<R extends Reader>(readers: Iterable<R>, waiting: readonly Waiting[]): R | undefined {
  const hasTurn = ({ isExclusive, exclusiveMs, owner }: Reader) =>
    isExclusive && exclusiveMs < EXCLUSIVE_TURN_MS && waiting.some((one) => one.owner === owner);
  const candidates = [...readers].filter((reader) => reader.isFree && !hasTurn(reader));
  return candidates.find(({ isExclusive }) => isExclusive) ?? candidates[0];
}
