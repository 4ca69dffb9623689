import type { OwedPostback } from '../contract/commands.ts';
import { readOwedPostbacks } from '../db/queries/postbacks/pending-postbacks.ts';
import type { Dependencies } from './runtime/dependencies.ts';

/** Every postback that the source owes. */
export async function listOwedPostbacks({ database }: Dependencies, sourceId: string): Promise<OwedPostback[]> {
  return readOwedPostbacks(database.pool, sourceId);
}
