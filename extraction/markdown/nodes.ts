/** Walking a Markdown tree and moving what is in it. */
import type { Nodes } from 'mdast';

/** A node and all below it, in order of position. */
export function* nodesOf(root: Nodes): Generator<Nodes> {
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    if ('children' in node) for (const child of node.children.toReversed()) pending.push(child);
  }
}

/** Moves the position of one node. */
export function move({ position }: Nodes, offset: number, lines: number): void {
  if (position === undefined) return;
  position.start.offset = (position.start.offset ?? 0) + offset;
  position.end.offset = (position.end.offset ?? 0) + offset;
  position.start.line += lines;
  position.end.line += lines;
}

/** Offsets of a node within the whole text; a node without a position (none that the parser makes) is empty. */
export function spanOf(node: Nodes): { start: number; end: number } {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}
