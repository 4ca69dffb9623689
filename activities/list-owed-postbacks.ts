import type { PendingPostback } from '../contract/commands.ts';
import { readPendingPostbacks } from '../db/queries/postbacks/pending-postbacks.ts';
import type { Dependencies } from './runtime/dependencies.ts';

/** Every postback that the source owes. */
export async function listOwedPostbacks({ database }: Dependencies, sourceId: string): Promise<PendingPostback[]> {
  return readPendingPostbacks(database.pool, sourceId);
}
