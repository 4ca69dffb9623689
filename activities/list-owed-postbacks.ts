import type { PendingPostback } from '../contract/commands.ts';
import { readPendingPostbacks } from '../db/queries/postbacks/pending-postbacks.ts';
import type { Dependencies } from './runtime/dependencies.ts';

/** The pending postbacks of a source, MAX_OPEN_DELIVERIES at most, those that are due first. */
export async function listOwedPostbacks({ database }: Dependencies, sourceId: string): Promise<PendingPostback[]> {
  return readPendingPostbacks(database.pool, sourceId);
}
