/**
 * Selects the child that reads a document, by the owners whose documents the child has read.
 *
 * A document that compromises a native parser can read all earlier and later documents of the process. So native code
 * runs only in a child that has read documents of one owner, and from then on that child is `exclusive`: it reads for
 * no other owner. A child in which a document changed shared objects (shared-objects.ts) becomes exclusive too.
 * JavaScript is memory-safe and runs no text as code, so children without native code read for all owners.
 */

/** State of a child that decides which documents it may read. */
export interface ChildState {
  /** Whether it is ready and has no document. */
  isFree: boolean;
  /** Owner of the document that it read last; undefined where it has read none. */
  owner: string | undefined;
  /** Whether all documents that it has read belong to that owner. */
  hasOneOwner: boolean;
  isExclusive: boolean;
  /** Milliseconds that it has spent reading since it is exclusive. */
  exclusiveMs: number;
}

/** A document that waits for a child. */
export interface Waiting {
  owner: string;
  /** Whether it needs native code, and so a child that has read no document of another owner. */
  needsOwnChild: boolean;
}

/**
 * While its owner has more documents, an exclusive child reads for this long before it may be replaced for another
 * owner: starting the replacement takes as much processor time.
 */
const EXCLUSIVE_TURN_MS = 1_000;

function mayRead({ owner, hasOneOwner, isExclusive }: ChildState, waiting: Waiting): boolean {
  if (owner === undefined) return true;
  const isOwn = owner === waiting.owner;
  return (isOwn || !isExclusive) && (!waiting.needsOwnChild || (isOwn && hasOneOwner));
}

/** Order of preference: the owner's exclusive child, one that may not run native code any more, then a new one last. */
function cost({ owner, hasOneOwner, isExclusive }: ChildState): number {
  if (isExclusive) return 0;
  if (!hasOneOwner) return 1;
  return owner === undefined ? 3 : 2;
}

/** The free child that should read the document; undefined where none may. */
export function selectChild<C extends ChildState>(children: Iterable<C>, waiting: Waiting): C | undefined {
  return [...children]
    .filter((child) => child.isFree && mayRead(child, waiting))
    .toSorted((one, other) => cost(one) - cost(other))[0];
}

/** The free child to replace by a new one where no free child may read the waiting documents; undefined for none. */
export function selectChildToReplace<C extends ChildState>(
  children: Iterable<C>,
  waiting: readonly Waiting[],
): C | undefined {
  const hasTurn = ({ isExclusive, exclusiveMs, owner }: ChildState) =>
    isExclusive && exclusiveMs < EXCLUSIVE_TURN_MS && waiting.some((one) => one.owner === owner);
  const candidates = [...children].filter((child) => child.isFree && !hasTurn(child));
  return candidates.find(({ isExclusive }) => isExclusive) ?? candidates[0];
}
