/** What the database says on its channel `changes` (the triggers of the migrations `changes` and `artifact_changes`). */
import type { Logger } from '../platform/logger.ts';
import { type Listener, listen } from './listen.ts';

const CHANNEL = 'changes';

export type Change =
  | { kind: 'source'; id: string; spaceId: string }
  /** A round of it has ended, or it is gone. */
  | { kind: 'artifact'; id: string }
  /** It was deleted or restored. */
  | { kind: 'space'; id: string }
  /** It was deleted. */
  | { kind: 'key'; id: string }
  /** It was disabled. */
  | { kind: 'user'; id: string }
  /** Nobody listened for a while: anything may have changed. */
  | { kind: 'anything' };

/** The change that a notification names. */
export function parseChange(payload: string): Change {
  const [kind, id, spaceId] = payload.split(':');
  if (id !== undefined) {
    if (kind === 'source' && spaceId !== undefined) return { kind, id, spaceId };
    if (kind === 'artifact' || kind === 'space' || kind === 'key' || kind === 'user') return { kind, id };
  }
  return { kind: 'anything' };
}

/** Hears of every change on one connection, and of `anything` whenever that was made anew. */
export function listenForChanges(url: string, logger: Logger, onChange: (change: Change) => void): Listener {
  return listen(url, CHANNEL, logger, (payload) => onChange(parseChange(payload)));
}
