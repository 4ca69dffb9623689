/** Notifications on the channel `changes`, sent by the triggers of the migrations `changes` and `artifact_changes`. */
import type { Logger } from '../platform/logger.ts';
import { type Listener, listen } from './listen.ts';

const CHANNEL = 'changes';

export type Change =
  | { kind: 'source'; id: string; spaceId: string }
  /** A round of the artifact has ended, or the artifact is gone. */
  | { kind: 'artifact'; id: string }
  /** The space was deleted or restored. */
  | { kind: 'space'; id: string }
  /** The key was deleted. */
  | { kind: 'key'; id: string }
  /** The user was disabled. */
  | { kind: 'user'; id: string }
  /** Notifications may have been missed: anything may have changed. */
  | { kind: 'anything' };

/** Parses a notification's payload; `anything` for an unknown one. */
export function parseChange(payload: string): Change {
  const [kind, id, spaceId] = payload.split(':');
  if (id !== undefined) {
    if (kind === 'source' && spaceId !== undefined) return { kind, id, spaceId };
    if (kind === 'artifact' || kind === 'space' || kind === 'key' || kind === 'user') return { kind, id };
  }
  return { kind: 'anything' };
}

/** Calls `onChange` for every change, on one connection, and with `anything` after every connect. */
export function listenForChanges(url: string, logger: Logger, onChange: (change: Change) => void): Listener {
  return listen(url, CHANNEL, logger, (payload) => onChange(parseChange(payload)));
}
